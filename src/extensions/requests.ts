import { api, type Part } from '../core/model/a2a.ts';
import { A2AError } from '../core/model/errors.ts';
import { stripper } from '../dialects/kernel/metadata.ts';
import { parseAs } from '../wire/validate.ts';

/** Returns the error `invalidParams` with the fault of one field. */
export const fault = (field: string, description: string): A2AError =>
  A2AError.invalidParams(undefined, [{ field, description }]);

/** Returns the size of a page. 0 counts as absent. Throws `invalidParams`. */
export function pageSizeOf(given: number | undefined, { fallback, max }: { fallback: number; max: number }): number {
  const size = given || fallback;
  if (Number.isSafeInteger(size) && size >= 1 && size <= max) return size;
  throw fault('pageSize', `must be from 1 to ${max}`);
}

/**
 * Returns the milliseconds of an RFC 3339 time, rounded up, since stored times are whole milliseconds. Throws `invalidParams`.
 */
export function timeOf(field: string, text: string | undefined): number | undefined {
  if (!text) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw fault(field, 'must be a timestamp such as 2026-01-31T12:00:00Z');
  return /\.\d{3}\d*[1-9]/.test(text) ? time + 1 : time;
}

/** Returns the texts that are given. '' counts as absent. */
export const textsOf = <K extends string>(texts: { readonly [N in K]: string | undefined }) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text)) as { readonly [N in K]?: string };

/** Position of a call in a list, which begins with the latest call. */
export interface CallPosition {
  /** Time of the call: milliseconds since the epoch. */
  readonly at: number;
  readonly id: string;
}

/** Whether the first call comes before the second one in a list. */
export const isBefore = (one: CallPosition, other: CallPosition): boolean =>
  one.at === other.at ? one.id > other.id : one.at > other.at;

export const inOrder = (one: CallPosition, other: CallPosition): number => (isBefore(one, other) ? -1 : 1);

export const tokenOf = ({ at, id }: CallPosition): string => `${at}_${id}`;

/** Returns the position in a page token. Throws `invalidParams`. */
export function positionOf(token: string): CallPosition | undefined {
  if (token === '') return undefined;
  const [, at, id] = /^(\d{1,15})_([0-9a-f]{8}-\d{1,16})$/.exec(token) ?? [];
  if (at === undefined || id === undefined) throw fault('pageToken', 'must be the nextPageToken of a previous answer');
  return { at: Number(at), id };
}

const partType = 'lf.a2a.v1.Part';

/** Removes the gateway's own metadata, which callers cannot set. */
let strip: ((part: Part) => Part) | undefined;

/** Returns the parts of a message from a request. Throws `invalidParams`. */
export function partsOf(parts: readonly object[]): Part[] {
  if (parts.length === 0) throw fault('parts', 'must have at least one part');
  strip ??= stripper(api, partType);
  return parts.map((part, i) => (strip as (part: Part) => Part)(parseAs(api, partType, part, `parts[${i}]`)));
}
