import { randomUUID } from 'node:crypto';

let prefixTime = -1;
let prefix = '';

/**
 * A UUID of version 7 (RFC 9562 section 5.7): its first 48 bits are the time in milliseconds, so that rows made one
 * after the other lie side by side in the store.
 */
export function newId(now: number = Date.now()): string {
  // Many ids are made in the same millisecond.
  if (now !== prefixTime) {
    prefixTime = now;
    const time = now.toString(16).padStart(12, '0');
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  }
  return prefix + randomUUID().slice(15);
}
