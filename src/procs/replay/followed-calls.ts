/**
 * Holds the calls of a task against its script:
 *
 *   script   stat("d") mkdir("d")
 *
 *   enters stat("d")      as it says: stands still until its turn has come
 *   enters futex(WAKE)    not in the script, but nobody can foresee that: goes on
 *   enters rmdir("d")     the replay has gone astray
 */
import type { Tid } from '../../linux/ids.ts';
import type { CallRecord } from '../../trace/records/call.ts';
import { isExec } from '../model/call-groups.ts';
import type { EnteredCall, Passage } from '../recorder/conductor.ts';
import { getsSignalAfter, getsSignalBefore, getsSignalIn } from './expected-signals.ts';
import { usesFutex } from './futexes.ts';
import { MadeUpNames } from './made-up-names.ts';
import { isExpected, shownCall, startsTask } from './mismatch.ts';
import { isClose, type OptionalSteps } from './optional-steps.ts';
import type { Player } from './player.ts';
import { repeatPoll } from './repeated-poll.ts';
import type { Item } from './script.ts';
import type { Stage } from './stage.ts';
import { runsAhead } from './thread-order.ts';
import type { Turns } from './turns.ts';
import { UnseenRests } from './unseen-rest.ts';

export class FollowedCalls {
  readonly #stage: Stage;
  readonly #turns: Turns;
  readonly #optionalSteps: OptionalSteps;
  readonly #unseenRests: UnseenRests;
  readonly #names = new MadeUpNames();

  constructor(stage: Stage, turns: Turns, optionalSteps: OptionalSteps) {
    this.#stage = stage;
    this.#turns = turns;
    this.#optionalSteps = optionalSteps;
    this.#unseenRests = new UnseenRests(stage.course, stage.threaded);
  }

  /** What needs no place in the order; closing a descriptor that nobody shares is not even recorded. */
  mayPass(task: Tid, number: number, args: readonly number[]): Passage {
    const player = this.#turns.playerOf(task);
    if (!player || player.doing || this.#stage.isLeftToItself(player)) return 'stops';
    if (this.#unseenRests.hasBegun(player)) {
      player.skipToEnd();
      return startsTask({ number }) || isExec({ number }) ? 'stops' : 'passes from now on';
    }
    if (isClose(number)) return this.#optionalSteps.mayClose(player, args[0]) ? 'passes' : 'stops';
    const { next } = player;
    if (next?.record.kind !== 'call' || next.record.number !== number) return 'stops';
    if (this.#needsPlace(next)) return 'stops';
    this.#turns.skip(player);
    return 'passes';
  }

  enters(task: Tid, call: EnteredCall): void {
    const player = this.#turns.playerOf(task);
    if (player) player.isElsewhere = false;
    const { leftOut } = this.#stage.course.script;
    if (!player || leftOut.has(call.number)) return this.#turns.release({ task });
    player.brokenOffBy = undefined;
    if (player.doing) return this.#entersAgain(player, player.doing, call);
    if (this.#optionalSteps.catchUp(player, call) === 'extra') {
      player.isElsewhere = usesFutex(call);
      return this.#turns.release({ task });
    }
    const item = this.#stage.nextActionOf(player);
    // It was recorded neither as ended nor as failed: death came first.
    if (item?.record.kind === 'exit' && !startsTask(call)) {
      player.isElsewhere = true;
      return this.#turns.release({ task });
    }
    if (item && !isExpected(item.record, call, this.#names)) {
      if (!getsSignalBefore(player, call, this.#stage)) {
        return this.#turns.stray(player, shownCall(call), item);
      }
      // A call that a signal ended without any effect was not recorded; but it has to be made again.
      if (getsSignalIn(player, call)) {
        player.isElsewhere = true;
        player.brokenOffBy = player.next;
        return this.#turns.release({ task });
      }
      // Otherwise, what the handler does comes first.
    } else if (item && item === player.next && !this.#needsPlace(item)) {
      this.#turns.skip(player);
      return this.#turns.release({ task });
    }
    player.standing = { at: 'call', call };
    this.#turns.schedule();
  }

  /** The same once more, after a signal. */
  #entersAgain(player: Player, item: Item, call: EnteredCall): void {
    if (!isExpected(item.record, call, this.#names)) {
      return this.#turns.stray(player, shownCall(call), item);
    }
    this.#turns.release({ task: player.task, ...this.#turns.narrowed(item, call) });
  }

  left(task: Tid, record: CallRecord, args: readonly number[]): boolean {
    const player = this.#turns.playerOf(task);
    const item = player?.doing;
    if (player) player.isElsewhere = false;
    if (player?.brokenOffBy && player.brokenOffBy === player.next) {
      this.#stage.straying.does(`the end of ${shownCall(record)}`, player.next);
    }
    if (!player || item?.record.kind !== 'call') return true;
    if (!this.#stage.isAnchor(item)) {
      repeatPoll(task, item.record, record, args);
      this.#stage.straying.noteResult(item.record, record);
    }
    // It is not to go on before a signal that it got right then.
    const stays =
      item === this.#stage.course.staysAfter || getsSignalAfter(player, item, this.#stage);
    if (stays) player.standing = { at: 'return' };
    this.#turns.end(player, item);
    if (stays || !this.#mustWaitForThreads(player)) return !stays;
    player.standing = { at: 'return', forThreads: true };
    return false;
  }

  #needsPlace(item: Item): boolean {
    return item.isSignificant || this.#stage.isAnchor(item);
  }

  #mustWaitForThreads(player: Player): boolean {
    const { isLive, threaded, players } = this.#stage;
    if (isLive || !threaded.has(player.script.start.pid)) return false;
    return player.next !== undefined && runsAhead(player, players);
  }
}
