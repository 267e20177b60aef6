import { expect, it } from 'vitest';
import { principalById } from '../../src/auth/principals.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { Principal } from '../../src/core/model/principal.ts';

/** Permissions of a caller of which only the id is known, as after a restart. */

const hash = (digit: string): string => `sha256:${digit.repeat(64)}`;

const { auth } = parseConfig(
  `
auth:
  anonymous: false
  apiKeys:
    - { name: ada, hash: "${hash('a')}", agents: [one, two] }
    - { name: ada, hash: "${hash('b')}", agents: [two, three] }
    - { name: eve, hash: "${hash('c')}" }
  jwt: { issuer: "https://id.example", audience: gateway, jwksUrl: "https://id.example/keys", agents: [one] }
`,
  { file: '/gateway.yaml', env: {} },
);

const agentsOf = (id: string): unknown => {
  const principal: Principal | undefined = principalById(auth, id);
  return principal && (principal.agents ? [...principal.agents] : 'all');
};

it.each([
  ['key:ada', ['two'], 'what all of its keys have'],
  ['key:eve', 'all', 'all where its key has no limits'],
  ['jwt:https://id.example#someone', ['one'], 'what tokens of the provider have'],
  ['key:removed', undefined, 'nothing where the configuration no longer has it'],
  ['jwt:https://other.example#someone', undefined, 'nothing for another provider'],
  ['own:bob', undefined, "nothing where it is the program's own"],
  ['anonymous', undefined, 'nothing where no anonymous callers are admitted'],
])('a caller of which only the id %s is known may call the agents %j: %s', (id, agents, _why) => {
  expect(agentsOf(id)).toEqual(agents);
});
