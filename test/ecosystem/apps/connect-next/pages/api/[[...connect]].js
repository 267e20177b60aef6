import { nextJsApiRouter } from '@connectrpc/connect-next';
import { createGateway } from 'a2a-gateway';
import { connectRoutes } from 'a2a-gateway/connect';

// Next adds X-Forwarded-For: such callers are not of this machine, and need an identity.
const auth = { anonymous: false, authenticate: () => ({ id: 'visitor' }) };
const gateway = createGateway({ store: 'memory:', auth, agents: { demo: { kind: 'reference' } } });
const routed = nextJsApiRouter({ routes: connectRoutes(gateway) });

// `next build` loads the module too, and starts nothing.
export default async function handler(request, response) {
  await gateway.start();
  return routed.handler(request, response);
}
export const config = { api: { bodyParser: false } };
