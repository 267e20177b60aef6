import { treePath } from '../../core/model/call.ts';
import { operations } from '../../gen/admin-v1/operations.ts';
import type { ServiceHost } from '../compose/build.ts';
import type { Extension } from '../compose/extension.ts';
import type { ExtensionServer } from '../http/server.ts';
import { gatewayPage } from '../trees/pages.ts';

/** The gateway's own service for operators. */
export const admin: Extension<ServiceHost, ExtensionServer> = {
  name: 'admin',
  service: {
    scope: 'admin',
    operations,
    ofGateway: true,
    restricted: {
      ListQuestions: 'questions',
      AnswerQuestion: 'questions',
      RegisterAgent: 'agents',
      RegisterCatalog: 'agents',
      ListRegistrations: 'agents',
      RenewAgent: 'agents',
      RemoveAgent: 'agents',
    },
    create: async (host) => (await import('./admin-service.ts')).createAdmin(host),
  },
  async stops({ store, logger, meters }) {
    const [{ OperatorStops }, { openStops }] = await Promise.all([
      import('../../extensions/admin/stops/stops.ts'),
      import('../../extensions/admin/stops/store.ts'),
    ]);
    const stops = new OperatorStops({ store: await store.extend(openStops), peers: store.peers, logger, meters });
    await stops.read();
    return stops;
  },
  http: (server) => ({
    page: gatewayPage(treePath, async (signed) => (await import('./whole-tree.ts')).answerQuestion(server, signed)),
  }),
  addedAgents: async (deps) => (await import('./registration.ts')).openRegistry(deps),
};
