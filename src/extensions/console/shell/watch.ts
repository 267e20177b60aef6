import { batch, effect } from '@preact/signals';
import { admin } from '../gateway/admin.ts';
import { awake } from '../gateway/awake.ts';
import { whileVisible } from '../gateway/hooks.ts';
import { live } from '../gateway/live.ts';
import { look } from './connection.ts';
import { isCurrent, noteRead, openStreams, status } from './facts.ts';
import { caller, may, readCaller } from './session.ts';

/** Milliseconds without an event after which the stream counts as broken: the gateway sends one every ten seconds. */
const silence = 25_000;
/** Milliseconds between two renewals of the session of an active tab. */
const renewal = 5 * 60_000;

/** Follows the state of the gateway while the tab is visible, if the caller may read it. */
export function watchGateway(): void {
  effect(() => {
    void caller.value;
    batch(() => {
      status.value = undefined;
      isCurrent.value = false;
    });
    if (!may('WatchStatus')) return;
    const stopped = new AbortController();
    // A hidden tab closes the stream at once: it has nothing to catch up with.
    whileVisible(follow, stopped.signal, 0);
    return () => stopped.abort();
  });
}

async function follow(signal: AbortSignal): Promise<void> {
  let renewedAt = Date.now();
  const states = live((_, options) => admin.stream('WatchStatus', {}, { ...options, needed: false }), {
    signal,
    silence,
    endless: true,
    pause: awake,
    next: () => 0,
    onState: (state) => {
      if (state === 'lost') void look();
      // The session may have ended, at another tab too.
      if (state === 'refused') void readCaller();
      if (state !== 'open') isCurrent.value = false;
    },
  });
  for await (const next of states) {
    const before = status.peek();
    batch(() => {
      status.value = next;
      isCurrent.value = true;
      if (openStreams.peek() > 0) noteRead();
    });
    const isOther = before && (['replica', 'configActiveSince'] as const).some((name) => before[name] !== next[name]);
    // Permissions, settings and console may have changed.
    if (isOther) void look();
    else if (Date.now() - renewedAt > renewal) {
      renewedAt = Date.now();
      void readCaller();
    }
  }
}
