import { createGateway } from 'a2a-gateway';

let started;

/** Made by the first request, since `next build` loads the module too. */
function gateway() {
  started ??= (async () => {
    // Next adds X-Forwarded-For: such callers are not of this machine, and need an identity.
    const auth = { anonymous: false, authenticate: () => ({ id: 'visitor' }) };
    const made = createGateway({ store: 'memory:', auth, agents: { demo: { kind: 'reference' } } });
    await made.start();
    return made;
  })();
  return started;
}

const handle = async (request) => (await gateway()).fetch(request);

export { handle as DELETE, handle as GET, handle as POST };
export const dynamic = 'force-dynamic';
