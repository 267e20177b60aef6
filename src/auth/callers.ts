import type { AuthSettings } from './settings.ts';

/** Ids of principals say how a caller shows who it is, so that no token can claim the name of a key. */
export const principalIds = {
  key: (name: string): string => `key:${name}`,
  client: (id: string): string => `client:${id}`,
  certificate: (name: string): string => `cert:${name}`,
  /** A certificate that is configured under no name. */
  subject: (subject: string): string => `subject:${subject}`,
  token: (issuer: string, subject: string): string => `jwt:${issuer}#${subject}`,
  anonymous: 'anonymous',
} as const;

/**
 * The ids of principals that a name in the configuration stands for: the name of a key, a client or a certificate, or a
 * whole id. A name that ends with `*` stands for all that begin so. Empty where it stands for no caller that could come.
 */
export function callersNamed(auth: AuthSettings, name: string): string[] {
  const { apiKeys, jwt, tokenEndpoint, mtls } = auth;
  const { key, client, certificate, subject, token, anonymous } = principalIds;
  const named: readonly (readonly [name: string, id: string])[] = [
    ...apiKeys.map((one) => [one.name, key(one.name)] as const),
    ...(tokenEndpoint?.clients ?? []).map((one) => [one.id, client(one.id)] as const),
    ...(mtls?.clients ?? []).map((one) => [one.name, certificate(one.name)] as const),
    ...(auth.anonymous === 'nobody' ? [] : [[anonymous, anonymous] as const]),
  ];
  const [exact, begins] = name.endsWith('*') ? [undefined, name.slice(0, -1)] : [name, undefined];
  const fits = (one: string): boolean => one === exact || (begins !== undefined && one.startsWith(begins));
  const ids = named.filter((pair) => pair.some(fits)).map(([, id]) => id);
  // Those of which only the beginning is configured.
  const open = [...(jwt ? [token(jwt.issuer, '')] : []), ...(mtls?.others === 'accept' ? [subject('')] : [])];
  const within = open.some(
    (one) => (name.startsWith(one) && name !== one) || (begins !== undefined && one.startsWith(begins)),
  );
  return [...new Set(within ? [...ids, name] : ids)];
}
