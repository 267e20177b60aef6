import { expect, it } from 'vitest';
import type { OutboundAuthSettings } from '../../src/net/credentials/outbound-settings.ts';
import { problems, read, upstream } from './support.ts';

/** `auth` of an upstream agent whose tokens are each for one caller. */

const at = 'tokenUrl: https://i.example/token';
const client = 'clientId: gw, clientSecret: hunter2';

const authOf = (auth: string): OutboundAuthSettings | undefined => {
  const agent = read(upstream('url: https://x.example', `auth: ${auth}`)).agents.get('w');
  return agent?.kind === 'upstream' ? agent.auth : undefined;
};

it('tokens for callers are configured with little, and with everything', () => {
  expect(authOf(`{ type: exchange, ${at}, ${client}, audience: weather }`)).toMatchObject({
    type: 'exchange',
    tokenUrl: 'https://i.example/token',
    clientId: 'gw',
    audience: 'weather',
    scopes: [],
    parameters: {},
    subject: 'caller',
    subjectTokenType: 'access_token',
    subjectClaim: 'sub',
  });
  expect(authOf(`{ type: jwtBearer, ${at}, privateKey: keys/gw.pem, issuer: gw, subject: principal }`)).toMatchObject({
    type: 'jwtBearer',
    privateKey: '/etc/gw/keys/gw.pem',
    issuer: 'gw',
    subject: 'principal',
  });
  const actor = `actor: { type: oauth2, ${at}, ${client} }`;
  expect(authOf(`{ type: exchange, ${at}, ${client}, subject: callerOrActor, ${actor} }`)).toMatchObject({
    subject: 'callerOrActor',
    actor: { type: 'oauth2', clientId: 'gw', scopes: [] },
  });
});

it.each([
  [`{ type: exchange, ${at}, clientId: gw }`, "auth.clientSecret: expected the client's secret"],
  [`{ type: exchange, ${client} }`, 'auth.tokenUrl: expected the http or https URL of a token endpoint'],
  [`{ type: exchange, ${at}, ${client}, audiense: a }`, 'auth.audiense: unknown key; did you mean audience?'],
  [`{ type: exchange, ${at}, ${client}, resource: a b }`, 'auth.resource: expected an absolute URL without fragment'],
  [`{ type: exchange, ${at}, ${client}, subject: nobody }`, 'auth.subject: expected "caller" or "callerOrActor"'],
  [`{ type: exchange, ${at}, ${client}, subject: callerOrActor }`, 'auth.subject: callerOrActor needs an actor'],
  [`{ type: exchange, ${at}, ${client}, actor: { type: mtls } }`, 'auth.actor.type: expected type: bearer or oauth2'],
  [
    `{ type: exchange, ${at}, ${client}, parameters: { client_secret: x } }`,
    'auth.parameters.client_secret: expected the name of a field without a setting of its own',
  ],
  [`{ type: exchange, ${at}, ${client}, parameters: { a: 1 } }`, 'auth.parameters.a: expected a text'],
  [`{ type: jwtBearer, ${at}, clientSecret: hunter2 }`, 'auth.clientId: required with clientSecret'],
  [`{ type: jwtBearer, ${at}, privateKey: a.pem }`, 'auth.issuer: required with privateKey, or clientId'],
  [`{ type: jwtBearer, ${at}, keyId: k }`, 'auth.keyId: only with privateKey'],
  [`{ type: jwtBearer, ${at}, subject: principal }`, 'auth.subject: principal needs privateKey'],
])('wrong settings of tokens for callers are reported with their field: %s', (auth, said) => {
  const told = problems(upstream('url: http://x.example', `auth: ${auth}`));
  expect(told).toEqual([expect.stringContaining(said)]);
  expect(told.join()).not.toContain('hunter2');
});

it('tokens for callers are not for servers of tools and graph databases, which do not serve one caller', () => {
  const auth = `auth: { type: exchange, ${at}, ${client} }`;
  const tools = `agents:\n  t:\n    kind: mcp\n    servers: { a: { url: "http://a.example", ${auth} } }\n`;
  expect(problems(tools)).toEqual([expect.stringMatching(/servers\.a\.auth\.type: expected type: apiKey.*/)]);
});
