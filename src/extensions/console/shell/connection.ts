import { signal } from '@preact/signals';
import { asGatewayError, GatewayError, refusedBy } from '../gateway/error.ts';
import { send } from '../gateway/raw.ts';
import { readSettings, settings } from '../gateway/settings.ts';
import { learn } from './facts.ts';
import { readCaller } from './session.ts';

/** Why the gateway cannot be used: the browser has no network, nothing answers, a proxy answers in its place, or it is not ready. */
export interface Fault {
  readonly kind: 'offline' | 'unreachable' | 'proxy' | 'not ready';
  readonly message: string;
}

/** Calls and streams report it; while there is one, the gateway is asked again and again. */
export const fault = signal<Fault | undefined>(undefined);

/** Whether the gateway has another version of the console than this tab. */
export const outdated = signal(false);

/** Counts how often the gateway came back. Read it to read data again. */
export const reconnections = signal(0);

const firstPause = 500;
const longestPause = 5_000;
/** Milliseconds between looks while all is well. */
const pause = 10_000;

function faultOf({ status, reason, message }: GatewayError): Fault | undefined {
  if (reason === 'PROXY') return { kind: 'proxy', message: `Connection lost: ${message}` };
  if (status === 503) return { kind: 'not ready', message: `The gateway is not ready: ${message}` };
  if (status !== 0) return undefined;
  if (!navigator.onLine) return { kind: 'offline', message: 'This browser is offline' };
  return { kind: 'unreachable', message: 'Connection lost' };
}

/** Called when a call failed. One that the gateway itself refused counts only where the gateway says that it is not ready. */
export function reportFault(error: GatewayError): void {
  const found = error.reason === 'TIMEOUT' ? undefined : faultOf(error);
  if (!found || fault.peek()) return;
  if (found.kind === 'not ready') void look();
  else void waitForGateway(found);
}

async function waitForGateway(found: Fault): Promise<void> {
  fault.value = found;
  for (let wait = firstPause; fault.peek(); wait = Math.min(wait * 2, longestPause)) {
    await awake(wait);
    fault.value = await findFault();
  }
  reconnections.value += 1;
}

let looking = false;

async function look(): Promise<void> {
  if (looking || fault.peek()) return;
  looking = true;
  const found = await findFault();
  looking = false;
  if (found && !fault.peek()) await waitForGateway(found);
}

/** Asks for the settings, which name the version, and whether the gateway is ready. */
async function findFault(): Promise<Fault | undefined> {
  try {
    const now = await readSettings();
    const before = settings.peek();
    if (!before) settings.value = now;
    else if (before.build !== now.build || before.version !== now.version) outdated.value = true;
    const response = await send('/readyz', { signal: AbortSignal.timeout(5_000) });
    if (response.status === 503) throw await refusedBy(response);
    learn({ ready: response.ok || undefined });
    // Renews the session of a tab that is used, and notices that another tab has signed out.
    await readCaller();
    return undefined;
  } catch (thrown) {
    learn({ ready: false });
    const error = asGatewayError(thrown);
    return error instanceof GatewayError ? faultOf(error) : undefined;
  }
}

/** Waits; less long where the network or the tab comes back meanwhile. */
function awake(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ended = new AbortController();
  const end = (): void => {
    clearTimeout(timer);
    ended.abort();
    resolve();
  };
  const timer = setTimeout(end, ms);
  const options = { signal: ended.signal };
  addEventListener('online', end, options);
  document.addEventListener('visibilitychange', () => document.hidden || end(), options);
  return promise;
}

/** What browsers say of a module or a stylesheet that they did not get. An exception in a module says anything else. */
const isMissing = /dynamically imported module|importing a module script|preload CSS/i;

/** Looks at the gateway from time to time, and when a part of the console cannot be loaded any more. */
export function watchConnection(): void {
  addEventListener('vite:preloadError', (event) => {
    // The site shows parts of the console without the types of Vite.
    const { payload } = event as Event & { readonly payload: Error };
    if (!isMissing.test(payload.message)) return;
    event.preventDefault();
    void findFault().then((found) => {
      if (!found) outdated.value = true;
      else if (!fault.peek()) void waitForGateway(found);
    });
  });
  const lookAgain = (): void => {
    if (!document.hidden) void look();
  };
  setInterval(lookAgain, pause);
  document.addEventListener('visibilitychange', lookAgain);
  addEventListener('offline', lookAgain);
  lookAgain();
}
