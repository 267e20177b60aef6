export default { serverExternalPackages: ['a2a-gateway'] };
