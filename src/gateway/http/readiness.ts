import { A2AError } from '../../core/model/errors.ts';

/** The last result of one readiness check. */
interface CheckResult {
  readonly state: 'ok' | 'failed';
  /** When the check first had this result: ISO 8601. */
  readonly since: string;
  /** Why it fails, without internals. */
  readonly reason?: string;
}

/** Reports whether a gateway should get work; if not, why and since when. Never rejects. */
export type CheckReadiness = () => Promise<{
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, CheckResult>>;
}>;

/** @param checks each rejects with an A2AError when the gateway should get no work */
export function readinessOf(checks: Readonly<Record<string, () => Promise<void> | void>>): CheckReadiness {
  const results = new Map<string, CheckResult>();

  async function run(name: string, check: () => Promise<void> | void): Promise<CheckResult> {
    let reason: string | undefined;
    try {
      await check();
    } catch (thrown) {
      reason = A2AError.from(thrown).message;
    }
    const state = reason === undefined ? 'ok' : 'failed';
    const before = results.get(name);
    const since = before?.state === state ? before.since : new Date().toISOString();
    const result: CheckResult = { state, since, ...(reason !== undefined && { reason }) };
    results.set(name, result);
    return result;
  }

  return async () => {
    const entries = Object.entries(checks).map(async ([name, check]) => [name, await run(name, check)] as const);
    const found = await Promise.all(entries);
    return { ready: found.every(([, { state }]) => state === 'ok'), checks: Object.fromEntries(found) };
  };
}
