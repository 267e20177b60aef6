/** Waits for facts. The code that changes a fact reports it, and waiting tests check again: no clock, and no polling. */

/** Changes of something that tests wait for. */
export class Changes {
  readonly #looks = new Set<() => void>();

  /** To be called after each change. */
  readonly happened = (): void => {
    for (const look of [...this.#looks]) look();
  };

  /** Resolves with the first value of a check that holds, now or after a change; rejects where the check throws. */
  until<Value>(check: () => Value | Promise<Value>): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    let asked = 0;
    let isLooking = false;
    const look = (): void => {
      asked += 1;
      if (!isLooking) void again();
    };
    const again = async (): Promise<void> => {
      isLooking = true;
      try {
        for (let seen = -1; seen !== asked; ) {
          seen = asked;
          const value = await check();
          if (!value) continue;
          this.#looks.delete(look);
          resolve(value);
          return;
        }
      } catch (error) {
        this.#looks.delete(look);
        reject(error);
      } finally {
        isLooking = false;
      }
    };
    this.#looks.add(look);
    look();
    return promise;
  }
}

/** Object with `on` and `off`, such as a socket. */
interface Emitter {
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

/** Resolves once a check holds: asked now, and after each event of these names. */
export async function until<Value>(
  emitter: Emitter,
  events: readonly string[],
  check: () => Value | Promise<Value>,
): Promise<Value> {
  const changes = new Changes();
  for (const event of events) emitter.on(event, changes.happened);
  try {
    return await changes.until(check);
  } finally {
    for (const event of events) emitter.off(event, changes.happened);
  }
}

/** Runs a check whenever a method of an object has been called and, where it returns a promise, has settled. */
export function callsOf<Name extends string>(object: Record<Name, (...args: never[]) => unknown>, name: Name): Changes {
  const changes = new Changes();
  const { [name]: method } = object;
  const watched = function (this: unknown, ...args: never[]): unknown {
    const result = method.apply(this, args);
    changes.happened();
    if (result instanceof Promise) result.then(changes.happened, changes.happened);
    return result;
  };
  Object.assign(object, { [name]: watched });
  return changes;
}
