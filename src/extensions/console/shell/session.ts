import { signal } from '@preact/signals';
import { settings } from '../gateway/settings.ts';

/** What the console sends to be recognized. */
export interface Credential {
  readonly kind: 'apiKey' | 'bearer';
  readonly value: string;
}

/** Why the gateway refused a call. */
export interface Refusal {
  /** 401: no credential, or a wrong one. 403: the caller may not do it. */
  readonly status: 401 | 403;
  readonly message: string;
}

const storageKey = 'a2a-gateway.credential';

/** How the address that the gateway prints carries its key: browsers do not send what follows the #. */
const keyInAddress = /^#key=(.+)$/;

/** The credential of this tab. It ends with the tab. */
export const credential = signal<Credential | undefined>(undefined);

/** The last refusal, until a call with another credential; undefined while none was refused. */
export const refusal = signal<Refusal | undefined>(undefined);

/** Whether the dialog to sign in is open. */
export const signingIn = signal(false);

/** Signs in with the key in the address, and removes it from there. */
export function takeKey(): void {
  const [, key] = keyInAddress.exec(location.hash) ?? [];
  if (key === undefined) return;
  history.replaceState(null, '', '#/');
  signIn({ kind: 'apiKey', value: key });
}

credential.value = stored();
takeKey();

/** The headers that carry the credential. */
export function authHeaders(): Record<string, string> {
  const current = credential.peek();
  if (!current) return {};
  if (current.kind === 'bearer') return { Authorization: `Bearer ${current.value}` };
  return { [settings.peek()?.apiKeyHeader ?? 'X-Api-Key']: current.value };
}

/** Notes a refusal. The first one opens the dialog; later ones are shown by the page, so that users are asked once. */
export function reportRefusal(next: Refusal): void {
  if (refusal.peek() === undefined) signingIn.value = true;
  refusal.value = next;
}

export function signIn(next: Credential): void {
  sessionStorage.setItem(storageKey, JSON.stringify(next));
  refusal.value = undefined;
  signingIn.value = false;
  credential.value = next;
}

export function signOut(): void {
  sessionStorage.removeItem(storageKey);
  refusal.value = undefined;
  credential.value = undefined;
}

function stored(): Credential | undefined {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    return typeof value === 'object' && value !== null ? (value as Credential) : undefined;
  } catch {
    return undefined;
  }
}

/** Calls `forget` when a caller signs out, or another one signs in: what a page has kept is not for the next caller. */
export function onCallerLeft(forget: () => void): void {
  let before = credential.peek();
  credential.subscribe((now) => {
    const left = before !== undefined && before !== now;
    before = now;
    if (left) forget();
  });
}
