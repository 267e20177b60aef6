import { randomBytes } from 'node:crypto';
import { newKey } from '../../auth/hash.ts';
import { UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';

/**
 * `a2a-gateway keys new`: prints a key, which is kept nowhere, and below it the line for the configuration. Nothing else
 * goes to stdout, so that scripts can read both.
 */
export function newApiKey(name: string | undefined, output: Output): void {
  if (name !== undefined && !/^[^\p{Cc}]{1,128}$/u.test(name)) {
    throw new UsageError('a name has 1 to 128 characters, and no control characters');
  }
  const { key, hash } = newKey();
  const called = name ?? `key-${randomBytes(3).toString('hex')}`;
  // JSON is YAML, for names that are not plain.
  const shown =
    /^[a-z][\w-]*$/i.test(called) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(called)
      ? called
      : JSON.stringify(called);
  output.note('the key, which is not shown again; clients send it as X-Api-Key:');
  output.print(`${key}\n`);
  output.note('under auth.apiKeys in the configuration; agents: […] and scopes: […] narrow what it is for:');
  output.print(`- { name: ${shown}, hash: "${hash}" }\n`);
  output.note(
    `or, as the secret of a client that asks for tokens, under auth.tokenEndpoint.clients: id instead of name`,
  );
}
