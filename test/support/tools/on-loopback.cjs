// Preloaded into servers that would listen on every address: they listen on loopback, and say on which port.
const { Server } = require('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  const done = rest.find((item) => typeof item === 'function');
  this.once('listening', () => process.stderr.write(`PORT ${this.address().port}\n`));
  return listen.call(this, Number(port), '127.0.0.1', done);
};
