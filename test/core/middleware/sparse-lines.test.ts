import { beforeEach, expect, it, vi } from 'vitest';
import { logFailure } from '../../../src/core/middleware/logging.ts';
import { A2AError } from '../../../src/core/model/errors.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';

type Line = { readonly level: string; readonly message: string; readonly more?: number; readonly request?: string };

function recording(): { readonly lines: Line[]; readonly logger: Logger } {
  const lines: Line[] = [];
  const at = (level: string) => (fields: object, message: string) => void lines.push({ ...fields, level, message });
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

const away = (): A2AError => new A2AError('unavailable', 'The store is away', { cause: new Error('ECONNREFUSED') });
const errors = (lines: readonly Line[]): Line[] => lines.filter(({ level }) => level === 'error');

beforeEach(() => {
  vi.useFakeTimers();
});

it('the log of calls logs calls that fail while the store is unavailable at once, then every ten seconds with their number', () => {
  const { lines, logger } = recording();
  for (let n = 0; n < 500; n += 1) logFailure(logger, away(), { agent: `agent-${n % 3}`, request: `r${n}` });
  expect(errors(lines)).toMatchObject([{ message: 'a call failed', request: 'r0' }]);
  expect(lines).toHaveLength(500);
  vi.advanceTimersByTime(10_000);
  expect(errors(lines)).toHaveLength(2);
  expect(errors(lines)[1]).toMatchObject({ message: 'a call failed', request: 'r499', more: 498 });
  logFailure(logger, away(), { request: 'later' });
  vi.advanceTimersByTime(10_000);
  expect(errors(lines)[2]).toMatchObject({ request: 'later' });
  expect(errors(lines)[2]).not.toHaveProperty('more');
});

it('the log of calls says nothing more when it is over, and everything again when it begins anew', () => {
  const { lines, logger } = recording();
  logFailure(logger, away(), {});
  vi.advanceTimersByTime(60_000);
  expect(errors(lines)).toHaveLength(1);
  logFailure(logger, away(), {});
  expect(errors(lines)).toHaveLength(2);
});

it('the log of calls logs each unreachable agent, and every internal error', () => {
  const { lines, logger } = recording();
  for (const agent of ['one', 'two', 'one']) logFailure(logger, new A2AError('upstreamUnreachable', ''), { agent });
  for (let n = 0; n < 3; n += 1) logFailure(logger, A2AError.from(new TypeError('a defect')), {});
  expect(errors(lines)).toHaveLength(5);
});
