import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Secret } from '../../src/net/secret.ts';

it('a secret is shown by nothing that shows what holds it', () => {
  const secret = new Secret('hunter2');
  const holder = { auth: { key: secret }, list: [secret], map: new Map([['key', secret]]) };
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  logger.info(holder, 'hello');
  logger.info({ err: new Error('failed', { cause: holder }), secret }, `with ${secret}`);
  const shown = [
    String(secret),
    `${secret}`,
    JSON.stringify(holder),
    inspect(holder, { depth: 9, showHidden: true, getters: true }),
    format('%s %o %j', secret, holder, holder),
    Object.entries(secret).join(),
    ...lines,
  ].join('\n');
  expect(shown).toContain('[secret]');
  expect(shown).not.toContain('hunter2');
  expect(structuredClone(holder.auth)).toEqual({ key: {} });
  expect(secret.reveal()).toBe('hunter2');
});
