import type { Erased, ErasedCaller, Host, OpeningHost } from '../host.ts';
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
  if (host.config().registration.allow) return { ...(await (await import('./open.ts')).openRegistry(host)), erase };
  return {
    erase,
    async handlers({ active }) {
      const { registrationHandlers } = await import('./handlers.ts');
      return registrationHandlers(undefined, active.select('limits'));
    },
  };
}

/** Registrations stay: others call the agents. They are listed, and removed with `RemoveAgent`. */
async function erase({ principal, tasks }: ErasedCaller, _: number, { store }: Host): Promise<Erased> {
  if (tasks.length > 0) return {};
  const { openRegisteredNames } = await import('./store.ts');
  return { remaining: { registrations: await (await store.extend(openRegisteredNames)).of(principal) } };
}
