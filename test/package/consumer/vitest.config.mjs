export default { test: { include: ['order.vitest.ts'] } };
