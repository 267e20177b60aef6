import { computed, signal } from '@preact/signals';
import type { CallerOfConsole } from '../../../wire/console-settings.ts';
import { asGatewayError, GatewayError, refusedBy } from '../gateway/error.ts';
import { send } from '../gateway/raw.ts';
import { settings } from '../gateway/settings.ts';

/** Credential that the console sends once, to sign in. */
export interface Credential {
  readonly kind: 'apiKey' | 'bearer';
  readonly value: string;
}

/** The form of a key in the address that the gateway prints: browsers do not send the part after the #. */
const keyInAddress = /^#key=(.+)$/;

/** Key under which the place is stored before the user leaves for the provider. */
const returnKey = 'a2a-gateway.return';

/** The caller from this browser; undefined until the gateway has reported it. */
export const caller = signal<CallerOfConsole | undefined>(undefined);

/** Key that differs for every caller, and for every session of one caller. */
export const callerKey = computed(() => `${caller.value?.principal} ${caller.value?.session?.until}`);

/** Whether the caller may call an operation of the admin service. Other operations are not offered. */
export const may = (operation: string): boolean => caller.value?.operations.includes(operation) === true;

/** Whether the caller sees questions for the caller, and nothing else. */
export const seesOwnOnly = (): boolean => may('ListQuestions') && !may('FindTasks');

/** The last refusal, until another caller signs in; undefined if there was none. */
export const refusal = signal<GatewayError | undefined>(undefined);

/** Whether the dialog to sign in is open. */
export const signingIn = signal(false);

/** Calls `/console/session`. Rejects with a GatewayError. */
async function ask<T = CallerOfConsole>(
  method: string,
  headers: Readonly<Record<string, string>> = {},
  path = '/console/session',
): Promise<T> {
  try {
    const response = await send(path, { method, headers, signal: AbortSignal.timeout(10_000) });
    if (!response.ok) throw await refusedBy(response);
    return response.json();
  } catch (thrown) {
    throw asGatewayError(thrown);
  }
}

/** Reads the caller, and renews the session. */
export async function readCaller(): Promise<void> {
  const now = await ask('GET').catch(() => undefined);
  if (now && JSON.stringify(now) !== JSON.stringify(caller.peek())) caller.value = now;
}

/** Returns the key in the address, and removes it there. */
function takeKey(): string | undefined {
  const [, key] = keyInAddress.exec(location.hash) ?? [];
  if (key !== undefined) history.replaceState(null, '', '#/');
  return key;
}

/** Signs in with the key in the address, if it has one. */
export async function signInByAddress(key = takeKey()): Promise<void> {
  if (key !== undefined) await signIn({ kind: 'apiKey', value: key });
}

// Before the router reads the address: a user who returns from the provider continues at the previous place.
const firstKey = takeKey();
const left = sessionStorage.getItem(returnKey);
sessionStorage.removeItem(returnKey);
if (left && location.hash === '') history.replaceState(null, '', left);

/** Determines the caller when the console starts. */
export const openSession = (): Promise<void> => (firstKey === undefined ? readCaller() : signInByAddress(firstKey));

/** Number of attempts to sign in, and of those that the gateway accepted. */
const signIns = { tried: 0, accepted: 0 };

/**
 * Returns a function that notes refusals of requests sent from now on. A refusal that arrives after a caller has signed
 * in does not concern that caller.
 */
export function refusalsFromNow(): (refused: GatewayError) => void {
  const { accepted } = signIns;
  return (refused) => {
    if (accepted === signIns.accepted) reportRefusal(refused);
  };
}

/** Notes a refusal. The first one opens the dialog; later ones are shown by the page, so that the dialog opens once. */
export function reportRefusal(next: GatewayError): void {
  if (refusal.peek() === undefined) signingIn.value = true;
  refusal.value = next;
  // The session may have ended.
  if (next.status === 401 && caller.peek()?.session) void readCaller();
}

/**
 * Sends the credential to the gateway once, which gives the browser a session for it. A fault is reported as a refusal.
 */
export async function signIn({ kind, value }: Credential): Promise<void> {
  signIns.tried += 1;
  const { tried } = signIns;
  const header = kind === 'bearer' ? 'Authorization' : (settings.peek()?.apiKeyHeader ?? 'X-Api-Key');
  try {
    await ask('POST', { [header]: kind === 'bearer' ? `Bearer ${value}` : value });
    const now = await ask('GET');
    if (!now.session)
      throw new GatewayError(0, 'NO_COOKIE', 'The browser keeps no session: open the console over https');
    signIns.accepted += 1;
    refusal.value = undefined;
    signingIn.value = false;
    caller.value = now;
  } catch (thrown) {
    // The response to a later credential is more relevant.
    if (tried !== signIns.tried) return;
    refusal.value = thrown as GatewayError;
    signingIn.value = true;
  }
}

/** Goes to the provider, to sign in there. Rejects with a GatewayError. */
export async function signInAtProvider(): Promise<void> {
  const { url } = await ask<{ readonly url: string }>('POST', {}, '/console/sign-in');
  sessionStorage.setItem(returnKey, location.hash);
  location.assign(url);
}

/** Ends the session, at every replica. Rejects with a GatewayError. */
export async function signOut(): Promise<void> {
  await ask('DELETE');
  refusal.value = undefined;
  await readCaller();
}

/** Calls `forget` when a caller signs out, or another one signs in: data of a page are not for the next caller. */
export function onCallerLeft(forget: () => void): void {
  let before = callerKey.peek();
  callerKey.subscribe((now) => {
    const left = caller.peek() !== undefined && before !== now;
    before = now;
    if (left) forget();
  });
}
