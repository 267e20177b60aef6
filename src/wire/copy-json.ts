import { A2AError } from '../core/model/errors.ts';
import { boundedPath } from './counts.ts';
import { defaultDepth } from './json.ts';

/**
 * Copies a value that consists of JSON, such as a request that the embedding program passes in. Members that are
 * undefined are omitted, as in `JSON.stringify`.
 *
 * @throws A2AError `invalidParams` that names the first field whose value JSON cannot represent
 */
export const copyJson = (value: unknown): unknown => new JsonCopier().copy(value);

class JsonCopier {
  /** Path of the value that is being copied: member names and indices. */
  readonly #steps: (string | number)[] = [];
  readonly #holders: object[] = [];

  copy(value: unknown): unknown {
    switch (typeof value) {
      case 'string':
        if (!value.isWellFormed()) throw this.#refused('has an unpaired surrogate');
        return value;
      case 'number':
        if (!Number.isFinite(value)) throw this.#refused(`must be a finite number, not ${value}`);
        return value;
      case 'boolean':
        return value;
      case 'object':
        return value === null ? null : this.#copyHolder(value);
      default:
        throw this.#refused(`must be a JSON value, not of type ${typeof value}`);
    }
  }

  #copyHolder(holder: object): unknown {
    if (this.#holders.includes(holder)) throw this.#refused('is circular');
    if (this.#holders.length === defaultDepth) throw this.#refused(`is nested deeper than ${defaultDepth} levels`);
    this.#holders.push(holder);
    const copied = Array.isArray(holder) ? this.#copyList(holder) : this.#copyObject(holder);
    this.#holders.pop();
    return copied;
  }

  #copyList(list: readonly unknown[]): unknown[] {
    // Array.from also reads the holes of sparse arrays.
    return Array.from(list, (item, at) => this.#copyAt(at, item));
  }

  #copyObject(holder: object): object {
    if (!isPlain(holder)) throw this.#refused(`must be a JSON value, not an instance of ${classOf(holder)}`);
    const copied: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(holder)) {
      if (key === '__proto__') throw this.#refused('has a key called __proto__');
      if (!key.isWellFormed()) throw this.#refused('has a key with an unpaired surrogate');
      if (value !== undefined) copied[key] = this.#copyAt(key, value);
    }
    return copied;
  }

  #copyAt(step: string | number, value: unknown): unknown {
    this.#steps.push(step);
    const copied = this.copy(value);
    this.#steps.pop();
    return copied;
  }

  #refused(description: string): A2AError {
    return A2AError.invalidField(boundedPath(this.#steps) || 'the request', description);
  }
}

/** Whether an object is a plain object, of this or another realm. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const classOf = (value: object): string => String(value.constructor?.name || 'a class');
