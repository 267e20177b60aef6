/** Prefix of the gateway's own metadata keys, which callers cannot set. */
export const ownPrefix = 'a2a-gateway/';

const noKeys: ReadonlySet<string> = new Set();

/** Returns metadata without the gateway's own keys; the same object if it has none, undefined if no other is left. */
export function withoutOwnKeys<T extends Readonly<Record<string, unknown>>>(
  metadata: T,
  keptKeys: ReadonlySet<string> = noKeys,
): T | undefined {
  for (const key in metadata) {
    if (key.startsWith(ownPrefix) && !keptKeys.has(key)) return withoutOwn(metadata, keptKeys);
  }
  return metadata;
}

function withoutOwn<T extends Readonly<Record<string, unknown>>>(
  metadata: T,
  keptKeys: ReadonlySet<string>,
): T | undefined {
  const entries = Object.entries(metadata).filter(([key]) => !key.startsWith(ownPrefix) || keptKeys.has(key));
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as T);
}
