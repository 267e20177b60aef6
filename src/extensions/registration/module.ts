import type { OpeningHost } from '../host.ts';
import type { Module, OpenModule } from '../module.ts';

/** Agents that are registered while the gateway runs. */
export const registration: Module = {
  name: 'registration',
  restricted: {
    RegisterAgent: 'agents',
    RegisterCatalog: 'agents',
    ListRegistrations: 'agents',
    RenewAgent: 'agents',
    RemoveAgent: 'agents',
  },
  open,
};

async function open(host: OpeningHost): Promise<OpenModule> {
  if (host.config().registration.allow) return (await import('./open.ts')).openRegistry(host);
  return {
    async handlers({ active }) {
      const { registrationHandlers } = await import('./handlers.ts');
      return registrationHandlers(undefined, active.select('limits'));
    },
  };
}
