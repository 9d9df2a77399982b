/** All that a page knows: what is handed over from here, where it is written, to web/, where it is shown. */
import type { Report } from '../model.ts';
import type { Picture } from './picture.ts';
import type { Excerpts } from './source-excerpts.ts';

export interface PageData {
  readonly report: Report;
  readonly picture?: Picture | undefined;
  readonly sources: Excerpts;
  /** What is missing from the page, and why. */
  readonly notes: readonly string[];
  /** When the program ran, as in run.json. */
  readonly startedAt: string;
}

/** The element that holds it, and how: as JSON, or that deflated and in base64. */
export const DATA_ELEMENT = 'data';
export const PACKED_TYPE = 'application/x-deadheat-deflated';
