import { steadyNow } from '../../core/model/timing.ts';
import { processDigest } from '../../core/telemetry/process-digest.ts';

/** Milliseconds after which the audit log has another line for a reading with the same answer. */
const repeatsFor = 3_600_000;
/** Largest number of readings in memory. */
const most = 500;

interface Reading {
  readonly digest: string;
  readonly at: number;
}

/** The latest answers to confidential questions that views ask again and again, as digests. */
export class RepeatedReads {
  readonly #readings = new Map<string, Reading>();

  /** Whether the caller has read the same answer to the same request within an hour. If not, notes it. */
  isRepeated(principal: string, operation: string, request: object, value: unknown): boolean {
    const key = digestOf([principal, operation, request]);
    const digest = digestOf(value);
    const now = steadyNow();
    const before = this.#readings.get(key);
    if (before?.digest === digest && now - before.at < repeatsFor) return true;
    this.#readings.delete(key);
    this.#readings.set(key, { digest, at: now });
    for (const oldest of this.#readings.keys()) {
      if (this.#readings.size <= most) break;
      this.#readings.delete(oldest);
    }
    return false;
  }
}

const digestOf = (value: unknown): string => processDigest(JSON.stringify(value));
