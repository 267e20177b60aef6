import { describe, expect, it } from 'vitest';
import { accessWarnings, configWarnings } from '../../src/cli/config-summary.ts';
import { parseConfig } from '../../src/config/parse.ts';

/** Warnings of `config check` and `serve` about configurations that are valid and may still surprise. */

const warningsOf = (listen: string, auth = 'anonymous: true'): string[] =>
  accessWarnings(parseConfig(`listen: { ${listen} }\nauth: { ${auth} }\n`, { file: 'gateway.yaml', env: {} }));

describe('a public URL without TLS', () => {
  const said = 'listen.publicUrl is http: requests and answers are sent unencrypted to agents.example.com; use https';

  it.each([
    ['for anonymous callers', 'host: 0.0.0.0, publicUrl: "http://agents.example.com"'],
    ['behind a proxy on this machine', 'publicUrl: "http://agents.example.com"'],
  ])('a public URL without TLS gets a warning %s', (_, listen) => expect(warningsOf(listen)).toContain(said));

  it.each([
    ['https', 'publicUrl: "https://agents.example.com"'],
    ['of this machine', 'publicUrl: "http://localhost:8080"'],
    ['that is not there', 'port: 0'],
  ])('a public URL gets no warning: one %s', (_, listen) =>
    expect(warningsOf(listen).join()).not.toContain('listen.publicUrl'),
  );
});

describe('an agent whose tasks are not kept', () => {
  const key = (name: string, agents = '') => `{ name: ${name}, hash: "sha256:${name.repeat(64)}"${agents} }`;
  const of = (auth: string, agent = 'keep: none'): string =>
    configWarnings(
      parseConfig(`auth: { ${auth} }\nagents: { w: { kind: upstream, url: "https://x.example", ${agent} } }\n`, {
        file: 'gateway.yaml',
        env: {},
      }),
    ).join();
  const two = `anonymous: false, apiKeys: [${key('a')}, ${key('b')}]`;

  const exchange = (more = ''): string =>
    `auth: { type: exchange, tokenUrl: "https://i.example", clientId: a, clientSecret: b${more} }`;
  const actor = ', subject: callerOrActor, actor: { type: bearer, token: t }';

  it('an agent whose tasks are not kept gets a warning if several callers may call it', () => {
    expect(of(two, `keep: none, ${exchange(actor)}`)).toContain('not separated');
    expect(of(two)).toContain('agent w: with keep: none its callers are not separated');
    expect(of(`anonymous: true, apiKeys: [${key('a')}]`)).toContain('not separated');
  });

  it('an agent whose tasks are not kept gets a warning where a policy asks people about all calls', () => {
    const policy = (rest: string): string =>
      `${two} }\npolicies: [{ name: all, ask: { of: [a] }${rest} }]\nlog: { level: info`;
    const text = 'agent w: with keep: none its calls cannot wait for people, so the policy all refuses all of them';
    expect(of(policy(''))).toContain(text);
    expect(of(policy(''), 'keep: tasks')).not.toContain('cannot wait');
    expect(of(policy(', where: size > 5'))).not.toContain('cannot wait');
    expect(of(policy(', shadow: true'))).not.toContain('cannot wait');
  });

  it('a policy or a guard whose call is deleted before people have to decide gets a warning', () => {
    const late = (until: string, tasks = '1d'): string =>
      of(
        `${two} }\nretention: { tasks: ${tasks} }\npolicies: [{ name: p, ask: { of: [a], until: ${until} } }]\n` +
          `guards: [{ name: g, url: "https://j.example", approvers: { of: [a], until: ${until} } }]\nlog: { level: info`,
      );
    const text = 'retention.tasks deletes a call that waits after 1d, before anything is decided at its until (2d)';
    expect(late('2d')).toContain(`policy p: ${text}`);
    expect(late('2d')).toContain(`guard g: ${text}`);
    expect(late('1d')).not.toContain('retention.tasks');
    expect(late('90d', 'forever')).not.toContain('retention.tasks');
  });

  it.each([
    ['kept', two, 'keep: tasks'],
    ['with credentials of its callers', two, 'keep: none, auth: { type: forward }'],
    ['with tokens for its callers', two, `keep: none, ${exchange()}`],
    ['for one caller', `anonymous: false, apiKeys: [${key('a')}]`, 'keep: none'],
    [
      'for one of several callers',
      `anonymous: false, apiKeys: [${key('a')}, ${key('b', ', agents: [other]')}]`,
      'keep: none',
    ],
  ])('an agent gets no warning about its tasks: one %s', (_, auth, agent) =>
    expect(of(auth, agent)).not.toContain('not separated'),
  );

  it("an agent whose tasks are not kept, or whose tokens are exchanged, gets a warning if its callers' tokens are not verified", () => {
    const said = 'agent w: the gateway does not verify the tokens of its callers';
    const jwt = 'jwt: { issuer: "https://i.example", audience: a, jwksUrl: "https://i.example/jwks" }';
    expect(of(two, exchange())).toContain(said);
    expect(of(`${two}, ${jwt}`, exchange())).not.toContain(said);
  });
});
