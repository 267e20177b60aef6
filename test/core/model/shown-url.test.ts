import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hidesUser, shownUrl, withShownUrls } from '../../../src/core/model/shown-url.ts';

it.each([
  ['https://me:pw@agent.example.com/card.json?key=k', 'https://agent.example.com/card.json?…'],
  ['https://token@agent.example.com/', 'https://agent.example.com/'],
  ['https://agent.example.com/@scope/agent', 'https://agent.example.com/@scope/agent'],
  ['postgres://gw:pw@a:5432,b/db?max=3', 'postgres://gw@a:5432,b/db?…'],
  ['postgres://gw@a/db', 'postgres://gw@a/db'],
  ['nats://token@a:4222,nats://token@b', 'nats://a:4222,nats://b'],
  ['nats://[::1]:4222', 'nats://[::1]:4222'],
  // None of these can be parsed.
  ['postgres://gw:pw/x@h/db', 'postgres://…'],
  ['postgres://gw:pw', 'postgres://gw:…'],
  ['https://me:p/w@h', 'https://…'],
  ['postgres://gw:,pw://@h', 'postgres://…'],
  ['sqlite:/data/gateway.db', 'sqlite:/data/gateway.db'],
  ['memory:', 'memory:'],
])('the URL %s is shown as %s', (url, shown) => expect(shownUrl(url)).toBe(shown));

it('a URL that is shown has no part of the password, whichever characters it has', () => {
  const schemes = fc.constantFrom('postgres', 'postgresql', 'nats', 'tls', 'http', 'https', 'redis');
  const places = fc.constantFrom('@h', '@h/db', '@h:1,i:2/db', '@h/a/b?x=y', '@h/x@y', '@h?a=b@c');
  const pieces = fc.array(fc.constantFrom('S3CR3T', '/', '?', '#', '@', ':', '%', '%40', ' ', '=', '1', ','));
  fc.assert(
    fc.property(schemes, places, pieces, pieces, (scheme, place, before, after) => {
      const url = `${scheme}://gw:${before.join('')}S3CR3T${after.join('')}${place}`;
      expect(shownUrl(url)).not.toContain('S3CR3T');
      expect(hidesUser(url)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it('a URL that is shown is shown so within a text, whose other words stay', () => {
  const text = 'unknown option --store=postgres://gw:S3/CR3T@h/db, see https://docs.example.com/a?b=c#d';
  expect(withShownUrls(text)).toBe('unknown option --store=postgres://… see https://docs.example.com/a?b=c#d');
});
