import { expect, it } from 'vitest';
import { shownStore } from '../../src/cli/config-summary.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { createRedaction } from '../../src/gateway/compose/logger.ts';

const parsed = (store: string) => parseConfig(`store: "${store}"`, { file: '/gw.yaml' });

it('settings of a store that are not known are refused with the file', () => {
  expect(() => parsed('postgres://gw:s3cret@a,b/db?pool=3')).toThrow(
    /store: The store postgres:\/\/gw@a,b\/db has an unknown setting: pool/,
  );
  expect(() => parsed('postgres://gw:s3cret@a,b/db?pool=3')).not.toThrow(/s3cret/);
});

it.each([
  ['postgres://gw:s3cret@a:5432,b:5433/db?max=20', 'postgres://gw@a:5432,b:5433/db'],
  ['postgres://gw:s3cret@a/db', 'postgres://gw@a/db'],
  ['postgres://a,b/db?user=gw&password=s3cret', 'postgres://a,b/db'],
])('the password of %s is shown nowhere', (store, shown) => {
  const config = parsed(store);
  expect(shownStore(config.store)).toBe(shown);
  const line = createRedaction(config)(`{"msg":"password authentication failed for s3cret"}`);
  expect(line).not.toContain('s3cret');
});

it.each(['nats://me:s3cret@a:4222,nats://me:s3cret@b', 'tls://s3cret@a'])(
  'the secret of %s is logged nowhere',
  (servers) => {
    const config = parseConfig(`store: postgres://a/b\nnotifications: "${servers}"`, { file: '/gw.yaml' });
    expect(createRedaction(config)(`{"msg":"refused s3cret"}`)).not.toContain('s3cret');
  },
);
