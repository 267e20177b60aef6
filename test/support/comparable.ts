/** Members that are generated anew for each task. */
const generated: ReadonlySet<string> = new Set([
  'id',
  'taskId',
  'contextId',
  'messageId',
  'artifactId',
  'timestamp',
  'createdTime',
  // It counts the events of a task, which differ between ways of producing it.
  'generation',
]);

/** Flags whose absence says the same as false. */
const flags: ReadonlySet<string> = new Set(['append', 'lastChunk']);

const none: ReadonlySet<string> = new Set();

/**
 * Returns a conversation in comparable form: without ids, times, generations, the gateway's own metadata and empty
 * members.
 *
 * @param without names of further fields to leave out
 */
export function comparable(value: unknown, without: ReadonlySet<string> = none): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, without));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, item]) => !(generated.has(key) && typeof item === 'string'))
    .filter(([key, item]) => !(flags.has(key) && item === false))
    .filter(([key]) => !without.has(key) && !key.startsWith('a2a-gateway/'))
    .map(([key, item]) => [key, comparable(item, without)] as const)
    .filter(([key, item]) => item !== undefined && !((Array.isArray(item) || key === 'metadata') && isEmpty(item)));
  return Object.fromEntries(entries);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
