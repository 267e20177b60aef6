const random = new Uint8Array(2_048);
/** Converts bytes to hexadecimal digits. Node's own function is several times faster than the one for browsers. */
const hexOf =
  'Buffer' in globalThis
    ? ({ buffer }: Uint8Array<ArrayBuffer>): string => Buffer.from(buffer).toString('hex')
    : portableHex;
/** Hexadecimal digits of `random`, and the number of digits that have been used. */
let digits = '';
let used = 0;

/**
 * The 62 random bits of a UUID as it is written, from the variant on: `-8xxx-xxxxxxxxxxxx`. Random bytes for many ids are drawn
 * at once.
 */
function randomTail(): string {
  if (used === digits.length) {
    // Browsers also have it on pages that were not loaded over HTTPS.
    crypto.getRandomValues(random);
    digits = hexOf(random);
    used = 0;
  }
  const at = used;
  used += 16;
  const variant = '89ab'[(random[at / 2] as number) & 3];
  // Slices this short are copies, which do not keep the whole string in memory.
  return `-${variant}${digits.slice(at, at + 1)}${digits.slice(at + 2, at + 4)}-${digits.slice(at + 4, at + 16)}`;
}

export function portableHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

let prefixTime = -1;
let prefix = '';
/** Number of ids in the current millisecond. */
let count = 0;

/**
 * Returns a UUID of version 7 (RFC 9562 section 5.7): it begins with the time, so that new rows are neighbours in
 * indexes. The first 4,096 ids of one millisecond are in order (section 6.2, method 1).
 */
export function newId(now: number = Date.now()): string {
  if (now !== prefixTime) {
    prefixTime = now;
    count = 0;
    const time = now.toString(16).padStart(12, '0');
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
  const position = (count & 0xfff).toString(16).padStart(3, '0');
  count += 1;
  return prefix + position + randomTail();
}

/** The owner of a task. Ids that callers choose are unique within one owner only. */
export interface TaskOwner {
  readonly agent: string;
  readonly tenant: string;
  readonly principal: string;
}

export interface CallKey {
  /** The owner within whom the key is unique. */
  readonly owner: TaskOwner;
  readonly key: string;
  /** Digest of the request: another request under the same key is refused. */
  readonly digest: string;
  /** Random, generated for this call: a repeated statement recognises its own row by it. */
  readonly nonce: string;
}

/**
 * A task's key in the store. A generated id is unique and is the key. An id that the caller chose is unique within its
 * owner only, so that its key is a JSON array with the owner.
 */
export const taskKey = ({ agent, tenant, principal }: TaskOwner, id: string, chosen: boolean): string =>
  chosen ? JSON.stringify([agent, tenant, principal, id]) : id;

/** Whether an id is a UUID of version 7. Callers may choose such ids, too; ids of any other form were chosen by callers. */
export const looksGenerated = (id: string): boolean =>
  id.length === 36 && id[14] === '7' && id[8] === '-' && id[13] === '-' && id[18] === '-' && id[23] === '-';

/** Id of a message in a dialect without ids, by its place in the history of its task. */
export const historyId = (taskId: string, at: number): string => `${taskId}/${at}`;

const contentPrefix = 'content/';

/**
 * Returns the id of a message without one: a digest of its content, and the number of equal messages before it in its
 * stream, if that is known.
 */
export const contentIdAt = (content: string, at?: number): string =>
  at === undefined ? contentPrefix + content : `${contentPrefix}${content}/${at}`;

/** Splits an id of `contentIdAt` into its parts; undefined for any other id. */
export function splitContentId(id: string): { readonly content: string; readonly at?: number } | undefined {
  if (!id.startsWith(contentPrefix)) return undefined;
  const [content = '', at] = id.slice(contentPrefix.length).split('/');
  return { content, ...(at !== undefined && { at: Number(at) }) };
}
