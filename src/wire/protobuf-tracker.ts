import type { CountLimits } from '../core/limits/counts.ts';
import { A2AError } from '../core/model/errors.ts';
import type { Unread } from '../core/model/unread.ts';
import { boundedPath, type Excess, partLists } from './counts.ts';

/** Settings for reading a message that may exceed limits or be damaged. */
export interface Tracking {
  readonly limits: CountLimits;
  /** Returns the error for a message that exceeds a limit. */
  readonly refusal: (excess: Excess) => A2AError;
  /**
   * Whether to omit and list parts that cannot be read, and replace bytes that are not UTF-8. Default: the message is
   * refused.
   */
  readonly mends?: boolean;
  /**
   * Called with the number of values so far each time another `reportedEvery` values have been read. Throws to refuse
   * the message.
   */
  readonly onValues?: (values: number) => void;
}

/** Number of values between two calls of `onValues`. */
const reportedEvery = 8_192;

/**
 * Follows a reader through one message: counts its values as they would be counted in JSON, and lists the omitted ones.
 */
export class Tracker {
  /** Whether unreadable parts are omitted. */
  readonly mends: boolean;
  readonly unread: Unread[] = [];
  values = 0;
  readonly #tracking: Tracking;
  /** Member names and indices that lead to the current value. */
  readonly #steps: (string | number)[] = [];
  /** Objects that may be merged with a repeated one, with the number of their keys. */
  readonly #merged = new Map<object, number>();

  constructor(tracking: Tracking) {
    this.#tracking = tracking;
    this.mends = tracking.mends ?? false;
  }

  /** Enters a member or an item. */
  enter(step: string | number): void {
    this.#steps.push(step);
  }

  leave(): void {
    this.#steps.pop();
  }

  /** Adds to the count of values. */
  count(more: number): void {
    const before = this.values;
    this.values += more;
    const { limits, refusal, onValues } = this.#tracking;
    if (this.values > limits.values) throw refusal({ what: 'values', limit: limits.values, path: '' });
    if (Math.floor(before / reportedEvery) < Math.floor(this.values / reportedEvery)) onValues?.(this.values);
  }

  /** Counts an item of the list `name`, which then has `size` items. */
  item(name: string, size: number): void {
    const { limits, refusal } = this.#tracking;
    if (size > limits.parts && partLists.has(name)) {
      throw refusal({ what: 'parts', limit: limits.parts, path: boundedPath([...this.#steps, name]) });
    }
    this.count(1);
  }

  /** Counts a key of the current object, which then has `size` keys. */
  key(size: number): void {
    const { limits, refusal } = this.#tracking;
    if (size > limits.keys) {
      throw refusal({ what: 'keys', limit: limits.keys, path: boundedPath(this.#steps) });
    }
    this.count(1);
  }

  /** Returns the number of keys of the object that the next value is merged into. */
  keysOf(before: object | undefined): number {
    if (before === undefined) return 0;
    return this.#merged.get(before) ?? Object.keys(before).length;
  }

  /** Remembers the number of keys of an object that may be repeated. */
  hasKeys(object: object, size: number): void {
    this.#merged.set(object, size);
  }

  /** Records that the current value is omitted, with the reason. */
  note(reason: string): void {
    this.unread.push({ path: boundedPath(this.#steps), reason });
  }

  /**
   * Reads a piece and returns true. If the piece cannot be read and `mends` is set, records and skips it, and returns
   * false.
   *
   * @param skip skips the piece; throws if even this fails
   */
  read(piece: () => void, skip: () => void): boolean {
    const depth = this.#steps.length;
    try {
      piece();
      return true;
    } catch (thrown) {
      if (!this.mends || thrown instanceof A2AError) throw thrown;
      this.#steps.length = depth;
      skip();
      this.note(`could not be read: ${(thrown as Error).message}`);
      return false;
    }
  }
}
