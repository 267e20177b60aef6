interface Entry<V> {
  readonly key: string;
  readonly hash: number;
  value: V | undefined;
  next: Entry<V> | undefined;
}

/** Number of buckets at the start; a power of two. */
const leastBuckets = 64;

/** Seed of the hash, chosen at random, so that callers cannot choose keys that share a bucket. */
const seed = Math.trunc(Math.random() * 2 ** 32);
const factor = Math.trunc(Math.random() * 2 ** 31) * 2 + 1;

function hashOf(key: string): number {
  let hash = seed;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(((hash << 5) | (hash >>> 27)) ^ key.charCodeAt(i), factor);
  return hash ^ (hash >>> 15);
}

/**
 * A map for entries that come and go with every request: a hash table with chains.
 *
 * It is used instead of a Map because outdated tables of a Map keep all later tables in memory until the next full
 * collection (see `LinkedList`). Here a table is replaced only when it grows, it refers to no later one, and deleted
 * entries refer to nothing. The table never shrinks: a bucket takes 8 bytes.
 */
export class TransientMap<V> {
  #buckets: (Entry<V> | undefined)[] = new Array(leastBuckets).fill(undefined);
  /** One less than the number of buckets: these bits of a hash select its bucket. */
  #mask = leastBuckets - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    return this.#find(key, hashOf(key))?.value;
  }

  has(key: string): boolean {
    return this.#find(key, hashOf(key)) !== undefined;
  }

  set(key: string, value: V): void {
    const hash = hashOf(key);
    const known = this.#find(key, hash);
    if (known) {
      known.value = value;
      return;
    }
    if (this.#size === this.#buckets.length) this.#grow();
    this.#size += 1;
    this.#insert({ key, hash, value, next: undefined });
  }

  /** Deletes an entry. Returns whether there was one. @param only the value that it must have. Default: any */
  delete(key: string, only?: V): boolean {
    const hash = hashOf(key);
    const index = hash & this.#mask;
    let before: Entry<V> | undefined;
    let entry = this.#buckets[index];
    while (entry && (entry.hash !== hash || entry.key !== key)) {
      before = entry;
      entry = entry.next;
    }
    if (!entry || (only !== undefined && entry.value !== only)) return false;
    if (before) before.next = entry.next;
    else this.#buckets[index] = entry.next;
    entry.value = undefined;
    entry.next = undefined;
    this.#size -= 1;
    return true;
  }

  clear(): void {
    this.#buckets = new Array(leastBuckets).fill(undefined);
    this.#mask = leastBuckets - 1;
    this.#size = 0;
  }

  /** Returns the current values, in no particular order. */
  values(): V[] {
    return this.#entries().map(({ value }) => value as V);
  }

  #entries(): Entry<V>[] {
    const all: Entry<V>[] = [];
    for (const first of this.#buckets) for (let entry = first; entry; entry = entry.next) all.push(entry);
    return all;
  }

  #find(key: string, hash: number): Entry<V> | undefined {
    let entry = this.#buckets[hash & this.#mask];
    while (entry && (entry.hash !== hash || entry.key !== key)) entry = entry.next;
    return entry;
  }

  #insert(entry: Entry<V>): void {
    const index = entry.hash & this.#mask;
    entry.next = this.#buckets[index];
    this.#buckets[index] = entry;
  }

  #grow(): void {
    const entries = this.#entries();
    this.#buckets = new Array(this.#buckets.length * 2).fill(undefined);
    this.#mask = this.#buckets.length - 1;
    for (const entry of entries) this.#insert(entry);
  }
}
