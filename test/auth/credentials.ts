import { hashOf, shownHash } from '../../src/auth/hash.ts';

const hash = (key: string): string => `"${shownHash(hashOf(key))}"`;
/** Keys, and a client of the token endpoint; all other callers are refused. */
export const credentials: string = `
auth:
  anonymous: false
  failuresPerMinute: unlimited
  apiKeys:
    - { name: alice, hash: ${hash('key of alice')} }
    - { name: bob, hash: ${hash('key of bob')} }
    - { name: reader, hash: ${hash('key of a reader')}, scopes: ["tasks:read"] }
    - { name: greeter, hash: ${hash('key of a greeter')}, agents: [hello] }
  tokenEndpoint:
    clients: [{ id: vault, hash: ${hash('secret of vault')}, scopes: [tasks] }]
`;
