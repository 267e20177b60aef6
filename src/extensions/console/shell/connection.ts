import { signal } from '@preact/signals';
import { readSettings, settings } from '../gateway/settings.ts';

/** Whether the gateway answers. Calls and streams report it; while it does not, it is asked again and again. */
export const connection = signal<'ok' | 'lost'>('ok');

/** Whether the gateway has another version of the console than this tab. */
export const outdated = signal(false);

/** Counts how often a lost connection came back. Read it to read data again. */
export const reconnections = signal(0);

const firstPause = 500;
const longestPause = 5_000;
/** Milliseconds between looks for another version. */
const versionPause = 60_000;

/** Called when a call could not reach the gateway. */
export function reportLost(): void {
  if (connection.peek() === 'lost') return;
  connection.value = 'lost';
  void waitForGateway();
}

async function waitForGateway(): Promise<void> {
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    await awake(pause);
    if (await checkVersion()) break;
  }
  connection.value = 'ok';
  reconnections.value += 1;
}

/** Whether the gateway answered. */
async function checkVersion(): Promise<boolean> {
  const before = settings.peek();
  const now = await readSettings().catch(() => undefined);
  if (!now) return false;
  if (!before) settings.value = now;
  else if (before.build !== now.build || before.version !== now.version) outdated.value = true;
  return true;
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

/** Looks for another version from time to time, and when a part of the console cannot be loaded any more. */
export function watchVersion(): void {
  addEventListener('vite:preloadError', (event) => {
    event.preventDefault();
    void checkVersion().then((answered) => {
      if (answered) outdated.value = true;
      else reportLost();
    });
  });
  const look = (): void => {
    if (!document.hidden && connection.peek() === 'ok') void checkVersion();
  };
  setInterval(look, versionPause);
  document.addEventListener('visibilitychange', look);
}
