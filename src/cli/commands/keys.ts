import { randomBytes } from 'node:crypto';
import { newKey } from '../../auth/hash.ts';
import { UsageError } from '../exit-code.ts';
import type { Output } from '../output.ts';

/**
 * `a2a-gateway keys new`: prints a key, which is not stored, and below it the line for the configuration. Everything
 * else is printed to stderr, so that scripts can read both.
 */
export function newApiKey(name: string | undefined, options: { readonly json?: boolean }, output: Output): void {
  if (name !== undefined && !/^[^\p{Cc}]{1,128}$/u.test(name)) {
    throw new UsageError('NAME: expected 1 to 128 characters, and no control characters');
  }
  const { key, hash } = newKey();
  const keyName = name ?? `key-${randomBytes(3).toString('hex')}`;
  if (options.json === true) {
    output.print(`${JSON.stringify({ name: keyName, key, hash })}\n`);
    return;
  }
  // Names that need quotes are written as JSON, which is valid YAML.
  const shown =
    /^[a-z][\w-]*$/i.test(keyName) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(keyName)
      ? keyName
      : JSON.stringify(keyName);
  output.note('API key, shown only once; clients send it as X-Api-Key:');
  output.print(`${key}\n`);
  output.note('add this to auth.apiKeys in the configuration; agents: […] and scopes: […] restrict the key:');
  output.print(`- { name: ${shown}, hash: "${hash}" }\n`);
  output.note('or to auth.tokenEndpoint.clients, with id instead of name, to use the key as a client secret');
}
