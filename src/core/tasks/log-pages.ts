/** Events read from the log at once: at first, at least and at most. */
export const pages = { first: 32, min: 1, max: 256 } as const;
/** Characters that a page should have. */
const pageLength = 262_144;

/**
 * How many events to read next. Large events make small pages, so that what is read at once stays small.
 *
 * @param page how many were asked for last
 * @param length characters of JSON that they had
 */
export function nextPage(page: number, length: number): number {
  if (length > pageLength) return Math.max(pages.min, page >> 2);
  return length < pageLength / 4 ? Math.min(pages.max, page * 2) : page;
}
