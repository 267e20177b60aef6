import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562 section 5.7): its first 48 bits are the time in milliseconds, so that rows made one
 * after the other lie side by side in the store.
 */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
