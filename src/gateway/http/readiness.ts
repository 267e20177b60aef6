import { A2AError } from '../../core/model/errors.ts';

/** The last result of one readiness check. */
export interface CheckResult {
  readonly state: 'ok' | 'failed';
  /** When the check first had this result: ISO 8601. */
  readonly since: string;
  /** Why it fails, without internals. */
  readonly reason?: string;
}

/** Rejects with an A2AError when the gateway should get no work. */
export type Check = () => Promise<void> | void;

/** Whether a gateway should get work; if not, why and since when. */
export class Readiness {
  readonly #checks: ReadonlyMap<string, Check>;
  readonly #states = new Map<string, CheckResult>();

  constructor(checks: Readonly<Record<string, Check>>) {
    this.#checks = new Map(Object.entries(checks));
  }

  /** Runs all checks concurrently. Never rejects. */
  async check(): Promise<{ readonly ready: boolean; readonly checks: Readonly<Record<string, CheckResult>> }> {
    const found = await Promise.all([...this.#checks].map(async ([name, check]) => this.#look(name, check)));
    return { ready: found.every(([, { state }]) => state === 'ok'), checks: Object.fromEntries(found) };
  }

  async #look(name: string, check: Check): Promise<[string, CheckResult]> {
    const failure = await reasonOf(check);
    const before = this.#states.get(name);
    const same = before !== undefined && before.state === (failure === undefined ? 'ok' : 'failed');
    const since = same ? before.since : new Date().toISOString();
    const now: CheckResult =
      failure === undefined ? { state: 'ok', since } : { state: 'failed', since, reason: failure };
    this.#states.set(name, now);
    return [name, now];
  }
}

async function reasonOf(check: Check): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (thrown) {
    return A2AError.from(thrown).message;
  }
}
