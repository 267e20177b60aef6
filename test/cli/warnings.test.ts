import { describe, expect, it } from 'vitest';
import { accessWarnings } from '../../src/cli/config-summary.ts';
import { parseConfig } from '../../src/config/parse.ts';

/** What `config check` and `serve` say of a configuration that is allowed and may still surprise. */

const warningsOf = (listen: string, auth = 'anonymous: true'): string[] =>
  accessWarnings(parseConfig(`listen: { ${listen} }\nauth: { ${auth} }\n`, { file: 'gateway.yaml', env: {} }));

describe('a public URL without TLS', () => {
  const said = 'listen.publicUrl is http: requests and answers are sent unencrypted to agents.example.com; use https';

  it.each([
    ['for anonymous callers', 'host: 0.0.0.0, publicUrl: "http://agents.example.com"'],
    ['behind a proxy on this machine', 'publicUrl: "http://agents.example.com"'],
  ])('is warned of %s', (_, listen) => expect(warningsOf(listen)).toContain(said));

  it.each([
    ['https', 'publicUrl: "https://agents.example.com"'],
    ['of this machine', 'publicUrl: "http://localhost:8080"'],
    ['that is not there', 'port: 0'],
  ])('is not: one %s', (_, listen) => expect(warningsOf(listen).join()).not.toContain('listen.publicUrl'));
});
