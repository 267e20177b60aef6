import { expect, test } from 'vitest';
import { newKey } from '../../src/auth/hash.ts';
import { activeSettings } from '../../src/config/active-settings.ts';
import { parseConfig } from '../../src/config/parse.ts';

const [ofAlice, ofClient, ofBob] = [newKey().hash, newKey().hash, newKey().hash];

const variable = (name: string): string => `$\{${name}}`;

const slack = { webhook: 'https://hooks.slack.com/services/T0/B0/path', signingSecret: 'of the app' };

const configOf = (more: object, env: Record<string, string> = {}, agent = 'demo') =>
  parseConfig(
    JSON.stringify({
      auth: {
        apiKeys: [{ name: 'alice', hash: ofAlice }],
        tokenEndpoint: {
          clients: [
            { id: 'alice', hash: ofClient },
            { id: 'bob', hash: ofBob },
          ],
        },
      },
      approvals: { slack: { ...slack, ...more } },
      agents: { [agent]: { kind: 'reference' } },
    }),
    { file: '/gateway.yaml', env },
  );

test('the secrets of Slack come from the environment, and no listing of the settings has them', () => {
  const env = { WEBHOOK: slack.webhook, SECRET: 'from the environment' };
  const names = {
    webhook: variable('WEBHOOK'),
    signingSecret: variable('SECRET'),
    users: { U0ALICE: 'key:alice', W0BOB: 'bob' },
  };
  const config = configOf({ ...names, team: 'T0HOME' }, env);
  expect(config.approvals?.slack?.signingSecret.reveal()).toBe(env.SECRET);
  expect(config.approvals?.slack?.webhook.reveal()).toBe(env.WEBHOOK);
  const shown = activeSettings(config);
  expect(shown).toMatchObject({ approvals: { slack: { users: names.users, team: 'T0HOME' } } });
  expect(JSON.stringify([config, shown])).not.toMatch(/services|from the environment/);
});

test.each([
  [{ webhook: 'http://hooks.slack.com/services/T0' }, 'slack.webhook: expected the https URL of an incoming webhook'],
  [{ webhook: 'https://bob:secret@hooks.slack.com/' }, 'slack.webhook: expected the https URL of an incoming webhook'],
  [{ signingSecret: '' }, 'slack.signingSecret: expected the signing secret of a Slack app'],
  [{ users: { U0ALICE: 'carol' } }, 'slack.users.U0ALICE: no caller is called "carol"'],
  [
    { users: { U0ALICE: 'alice' } },
    'slack.users.U0ALICE: "alice" stands for several callers; expected the id of one, such as key:alice',
  ],
  [{ users: { U0ALICE: 'key:*' } }, 'slack.users.U0ALICE: "key:*" stands for several callers'],
  [{ users: { alice: 'bob' } }, 'slack.users.alice: expected the id of a Slack user, such as U0123ABCD'],
  [{ team: 'home' }, 'slack.team: expected the id of a Slack workspace'],
  [{ channel: '#ops' }, 'slack.channel: unknown key'],
])('the section `approvals` refuses %j and says where', (more, problem) => {
  expect(() => configOf(more)).toThrow(`approvals.${problem}`);
});

test('no agent is called approvals, since the path is of the gateway', () => {
  expect(() => configOf({}, {}, 'approvals')).toThrow('agents.approvals: "approvals" is a reserved word');
});
