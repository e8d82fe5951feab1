/** Import boundaries. Each rule says why; a violation fails `npm run check`. */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle hides which module depends on which; break it by moving what both need.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
