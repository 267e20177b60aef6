import { expect, it } from 'vitest';
import { Registry } from '../../../src/extensions/registration/registry.ts';
import { openRegistrations } from '../../../src/extensions/registration/store.ts';
import { openStore, silent } from '../../support/core.ts';

it('a renewal at one replica loses nothing that another replica has registered meanwhile', async () => {
  const store = await (await openStore()).extend(openRegistrations);
  const replica = () => {
    const applied: string[][] = [];
    const registry: Registry = new Registry({
      store,
      logger: silent,
      approve: () => 'never',
      isConfigured: () => false,
      check: () => {},
      readCard: async ({ url }) => ({ name: url }),
      readCatalog: async () => ({ agents: [], skipped: [] }),
      apply: async () => applied.push(registry.served(() => false).map(({ name }) => name)),
      onAway: () => {},
      lease: async () => false,
    });
    return { registry, applied };
  };
  const [one, two] = [replica(), replica()];
  const offer = { url: 'http://a', dialect: '', transport: '', title: '', description: '', skills: [] };
  const known = await two.registry.register({ name: 'known', owner: 'alice', offer, lease: 60 });
  await one.registry.register({ name: 'new', owner: 'alice', offer, lease: 60 });
  await two.registry.renew(known);
  expect(two.applied.at(-1)).toEqual(['known', 'new']);
});
