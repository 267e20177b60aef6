import assert from 'node:assert/strict';
import { type A2AError, type BindingName, connect } from 'a2a-gateway';

/** Calls the app: `node caller.ts URL attached|middleware`. Prints what works. */

const [url = '', how] = process.argv.slice(2);
const isAttached = how === 'attached';
const as = (token: string, via: BindingName = 'jsonrpc', tenant?: string) =>
  connect(`${url}/echo`, { via, headers: { 'x-session': token }, ...(tenant !== undefined && { tenant }) });

// A client finds gRPC and Connect by the card's gRPC interface.
const bindings: readonly BindingName[] = ['jsonrpc', 'rest', ...(isAttached ? (['grpc', 'connect'] as const) : [])];
for (const via of bindings) {
  const ada = await as('token-of-ada', via);
  const { task } = await ada.send('hi');
  const text = task?.artifacts?.[0]?.parts[0]?.text ?? '';
  assert.match(text, /^hi from .*ada of acme$/, `over ${via}`);
  const eve = await as('token-of-eve', via);
  assert.deepEqual((await eve.listTasks({})).tasks, [], `over ${via}, Eve must not see the tasks of Ada`);
  await assert.rejects(eve.getTask({ id: task?.id ?? '' }), (thrown: A2AError) => thrown.kind === 'taskNotFound');
  const stranger = await as('token-of-ada', via, 'globex');
  await assert.rejects(stranger.send('hi'), (thrown: A2AError) => thrown.kind === 'permissionDenied');
  await Promise.all([ada.close(), eve.close(), stranger.close()]);
}

const card = (await (await fetch(`${url}/echo/.well-known/agent-card.json`)).json()) as {
  supportedInterfaces: { protocolBinding: string }[];
};
const listed = card.supportedInterfaces.some(({ protocolBinding }) => protocolBinding === 'GRPC');
assert.equal(listed, isAttached, 'the card must list gRPC where it is served, and only there');

const post = (path: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
    body: JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }),
  });
const connected = await post('/lf.a2a.v1.A2AService/SendMessage', { 'a2a-agent': 'echo', 'x-session': 'token-of-ada' });
assert.equal(connected.status, 200, 'Connect is served in any case');
const refused = await post('/echo/message:send', { 'x-session': 'nonsense' });
assert.equal(refused.status, 401);
assert.equal(refused.headers.get('www-authenticate'), 'Session realm="echo"');
// Ahead of an app, the gateway leaves these pages to the app, which has none.
const health = isAttached ? 404 : 200;
for (const [path, status] of [
  ['/hello', 200],
  ['/healthz', health],
  ['/readyz', health],
] as const) {
  assert.equal((await fetch(url + path)).status, status, path);
}
console.log(`${bindings.join(', ')}; two tenants apart; 401 with the challenge; pages about health`);
