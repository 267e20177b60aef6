import { trimEnd } from '../core/model/text.ts';

/** Names of members, parameters, headers and fields whose values are credentials. */

const wordList = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words that name a credential at the end of a name, in the singular. */
const credentials = wordList(`
  password passwd passwort passphrase passcode passkey pass pwd pw psw pswd kennwort contrasena contraseña senha motdepasse
  parola пароль 密码 パスワード secret token credential cred apikey authorization auth cookie jwt bearer session sid otp totp
  mfa pin cvv cvc assertion`);

/** Qualifiers that turn a word into the name of a credential, by that word. */
const qualifiers: Readonly<Record<string, ReadonlySet<string>>> = {
  key: wordList(`
    api private secret access auth signing signature encryption decryption crypto master shared client server service account
    storage subscription license licence ssh ssl tls pem rsa hmac aes symmetric session webhook admin app application
    function host user root deploy x`),
  code: wordList(`
    auth authorization verification otp mfa totp sms access pin security device user recovery backup login pass invite one
    time`),
  id: wordList('session sess'),
  word: wordList('pass code'),
  phrase: wordList('pass seed recovery mnemonic secret'),
  signature: wordList('shared access'),
};

/** Words that may follow the word that names a credential. */
const followers = wordList(`
  value text string plain plaintext raw data hash base64 b64 hex pem encoded old new current previous next confirm confirmation
  confirmed again repeat number header env`);

/** Endings of compound words that name a credential. */
const fused =
  /(?:password|passwd|passphrase|passcode|pwd|secret|token|credential|apikey|privatekey|secretkey|accesskey|authkey|sessionid|sessid|sessionkey|authorization|cookie|jwt|(?:otp|pin|mfa|auth|security|verification)code)$/;
const fusedPass = /^(?:my|db|user|usr|pg|sql|smtp|ftp|ssh|ldap|root|admin|login|key|store)pass$/;

/** Qualifiers of tokens for pagination, which are not credentials. */
const ofPages = wordList('page next continuation sync cursor pagination');

const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKC')
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => trimEnd(word, '0123456789'))
    .filter((word) => word !== '');

const singular = (word: string): string => (/[^s]s$/.test(word) ? word.slice(0, -1) : word);

/** Longest name that is examined, in characters. */
const longest = 200;

/**
 * Whether a name denotes a credential, in any spelling: `pwd`, `x-api-key`, `clientSecret`, `DB_PASSWORD`,
 * `user[pass]`. Words in the middle of a name do not count: `tokenType` and `passwordPolicy` are not credentials.
 */
export function namesCredential(name: string): boolean {
  if (name.length > longest) return false;
  const words = wordsOf(name);
  while (words.length > 1 && followers.has(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  const end = singular(last);
  if (end === 'token' && ofPages.has(before)) return false;
  if (/(?:page|next|continuation)token$/.test(end)) return false;
  if (credentials.has(end) || credentials.has(last)) return true;
  if (fused.test(end) || fusedPass.test(end)) return true;
  return Object.hasOwn(qualifiers, end) && (qualifiers[end]?.has(before) ?? false);
}

/**
 * Words that denote a credential anywhere in the name of a header or a parameter, because such names are few and short.
 */
const anywhere = /auth|cookie|key|secret|token|pass(?:w|c|p|$)|pwd|credential|session|jwt|assertion/i;

const publicHeaders: ReadonlySet<string> = new Set([
  'idempotency-key',
  'www-authenticate',
  'proxy-authenticate',
  'access-control-allow-headers',
  'access-control-allow-credentials',
  'access-control-expose-headers',
]);

/** Whether the value of a header may be a credential. `name` is in lower case. */
export const headerHoldsCredential = (name: string): boolean =>
  !publicHeaders.has(name) && (anywhere.test(name) || namesCredential(name));

const ofQueries = /(?:^|[^a-z])(?:sig|signature|code)(?:$|[^a-z])/i;
const ofPagesInQueries = /^(?:next_?)?page_?token$/i;

/** Whether the value of a parameter of a query or a form may be a credential. `name` is decoded. */
export const parameterHoldsCredential = (name: string): boolean =>
  !ofPagesInQueries.test(name) && (anywhere.test(name) || ofQueries.test(name) || namesCredential(name));
