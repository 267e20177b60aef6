import { computed, effect, signal } from '@preact/signals';
import { awake } from '../gateway/awake.ts';
import { asGatewayError, GatewayError, refusedBy } from '../gateway/error.ts';
import { send } from '../gateway/raw.ts';
import { readSettings, settings } from '../gateway/settings.ts';
import { count } from '../ui/format.ts';
import { isCurrent, status } from './facts.ts';
import { may, readCaller } from './session.ts';

/**
 * Reason why the gateway cannot be used: the browser has no network, nothing answers, a proxy answers in its place, or
 * it is not ready.
 */
interface Fault {
  readonly kind: 'offline' | 'unreachable' | 'proxy' | 'not ready';
  readonly message: string;
}

/** Fault found by the latest check of the gateway. */
const found = signal<Fault | undefined>(undefined);

/** The current fault. While there is one that the gateway does not report itself, the gateway is checked repeatedly. */
export const fault = computed(() => {
  const { draining, store } = (isCurrent.value && status.value) || {};
  const reason = draining ? 'The gateway is stopping' : store?.state === 'away' ? store.reason : undefined;
  return found.value ?? (reason === undefined ? undefined : notReady(reason));
});

/** Number of tasks that wait for a client, such as `12` or `1,000+`. */
export const waiting = computed(() => {
  const { waitingTasks } = (isCurrent.value && status.value) || {};
  if (waitingTasks === undefined) return may('WatchStatus') ? '?' : '';
  return waitingTasks > 1_000 ? '1,000+' : waitingTasks === 0 ? '' : count(waitingTasks);
});

/** Whether the gateway has another version of the console than this tab. */
export const outdated = signal(false);

/** Number of times that the gateway came back. Subscribe to it to read data again. */
export const reconnections = signal(0);

const firstPause = 500;
const longestPause = 5_000;

const notReady = (reason: string): Fault => ({ kind: 'not ready', message: `The gateway is not ready: ${reason}` });

function faultOf({ status, reason, message }: GatewayError): Fault | undefined {
  if (reason === 'PROXY') return { kind: 'proxy', message: `Connection lost: ${message}` };
  if (status === 503) return notReady(message);
  if (status !== 0) return undefined;
  if (!navigator.onLine) return { kind: 'offline', message: 'This browser is offline' };
  return { kind: 'unreachable', message: 'Connection lost' };
}

/**
 * Called when a call failed. A refusal by the gateway itself counts only if the gateway reports that it is not ready.
 */
export function reportFault(error: GatewayError): void {
  const known = error.reason === 'TIMEOUT' ? undefined : faultOf(error);
  if (known) void look(known.kind === 'not ready' ? undefined : known);
}

let looking = false;

/** Determines the fault, and repeats until there is none. */
export async function look(known: Fault | undefined = fault.peek()): Promise<void> {
  if (looking) return;
  looking = true;
  let next = known ?? (await findFault());
  for (let wait = firstPause; next; wait = Math.min(wait * 2, longestPause)) {
    found.value = next;
    await awake(wait);
    next = await findFault();
  }
  looking = false;
  found.value = undefined;
}

/** Reads the settings, which name the version, whether the gateway is ready, and the caller. */
async function findFault(): Promise<Fault | undefined> {
  try {
    const now = await readSettings();
    const before = settings.peek();
    if (before && (before.build !== now.build || before.version !== now.version)) outdated.value = true;
    else settings.value = now;
    const response = await send('/readyz', { signal: AbortSignal.timeout(10_000) });
    if (response.status === 503) throw await refusedBy(response);
    await readCaller();
    return undefined;
  } catch (thrown) {
    const error = asGatewayError(thrown);
    return error instanceof GatewayError ? faultOf(error) : undefined;
  }
}

/** Checks the gateway if it cannot report its state itself. */
export function watchConnection(): void {
  let before: Fault | undefined;
  effect(() => {
    if (before && !fault.value) reconnections.value = reconnections.peek() + 1;
    before = fault.value;
  });
  const lookAgain = (): void => {
    if (!document.hidden && !(settings.peek() && may('WatchStatus'))) void look();
  };
  document.addEventListener('visibilitychange', lookAgain);
  addEventListener('offline', () => void look());
  lookAgain();
}
