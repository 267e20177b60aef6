import { operations } from '../../gen/admin-v1/operations.ts';
import type { ServiceHost } from '../compose/build.ts';
import type { Extension } from '../compose/extension.ts';

/** The gateway's own service for operators. */
export const admin: Extension<ServiceHost> = {
  name: 'admin',
  service: {
    scope: 'admin',
    operations,
    ofGateway: true,
    restricted: {
      ...{ ListQuestions: 'questions', AnswerQuestion: 'questions' },
      ...{
        RegisterAgent: 'agents',
        RegisterCatalog: 'agents',
        ListRegistrations: 'agents',
        RenewAgent: 'agents',
        RemoveAgent: 'agents',
      },
    },
    create: async (host) => (await import('./admin-service.ts')).createAdmin(host),
  },
  stops: async (deps) => (await import('./stops.ts')).openOperatorStops(deps),
  addedAgents: async (...args) => (await import('./registration.ts')).openRegistry(...args),
};
