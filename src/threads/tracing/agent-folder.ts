/**
 * The folder that the agent works in, while the program runs:
 *
 *   RUN/agent/agent-channel     what the agent says, see agent/deadheat.h
 *   RUN/agent/blobs/KEY         the clones of each image
 *   RUN/agent/1-2.log           what the second thread of the first process did
 *   RUN/agent/room              nothing: if logs fill the disk, the trace can still be written in its place
 */
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { type AgentChannel, openAgentChannel } from '../../linux/agent-channel.ts';
import { AgentOption } from '../../linux/agent-protocol.ts';
import { allocateFile } from '../../linux/allocate-file.ts';
import { putClones } from './blob-cache.ts';
import type { PreparedImage } from './prepare-blobs.ts';

/** For some ten thousand processes, or threads with names. */
const CHANNEL_BYTES = 4 << 20;
const ROOM_BYTES = 16 << 20;

export class AgentFolder {
  readonly path: string;
  readonly channel: AgentChannel;

  constructor(path: string, images: readonly PreparedImage[]) {
    this.path = path;
    try {
      mkdirSync(encodeBytes(this.blobs), { recursive: true });
      for (const { image, clones } of images) putClones(clones, join(this.blobs, image.key));
      this.channel = openAgentChannel(path, CHANNEL_BYTES, AgentOption.DH_OPTION_LOG);
      // Where there is no such room, the trace may still be small enough.
      void tryTo(() => this.#reserveRoom());
    } catch (error) {
      this.#removeFiles();
      throw error instanceof UserError ? error : cannotMake(path, error);
    }
  }

  get blobs(): string {
    return join(this.path, 'blobs');
  }

  /** To be called when the program has ended, and before the trace is written. */
  freeRoom(): void {
    rmSync(encodeBytes(this.#room), { force: true });
  }

  remove(): void {
    this.channel.close();
    this.#removeFiles();
  }

  get #room(): string {
    return join(this.path, 'room');
  }

  #reserveRoom(): void {
    const fd = openSync(encodeBytes(this.#room), 'w');
    try {
      allocateFile(fd, ROOM_BYTES);
    } finally {
      closeSync(fd);
    }
  }

  #removeFiles(): void {
    rmSync(encodeBytes(this.path), { recursive: true, force: true });
  }
}

function cannotMake(path: string, error: unknown): UserError {
  return new UserError(
    `cannot prepare ${path}: ${(error as Error).message}`,
    'free some space there, or choose another place with -o DIR',
    ExitStatus.unavailable,
  );
}
