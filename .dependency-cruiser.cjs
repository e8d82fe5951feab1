/** Import boundaries. Each rule says why; a violation fails `npm run check`. */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle hides which module depends on which; move what both need.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'only-workers-touch-the-engine',
      comment:
        'A request records what is wanted; only operations, reconcilers, usage, locations, images, consoles and the inspection speak to Incus.',
      severity: 'error',
      from: {
        path: '^service/src/',
        pathNot:
          '^service/src/(incus|cli|inspect|installation|doctor|operations|instances|maintenance|reconcilers|pool-quotas|images|location-setup|testing)/|' +
          '^service/src/(servers/(engine|operations)|usage/collect|traffic)/|^service/src/(parts|start-errors)(\\.test)?\\.ts$|' +
          '^service/src/(locations/engines|locations/network|metrics/observed|network-policy/compile|consoles/(source|attachment|viewer))(\\.test)?\\.ts$',
      },
      to: { path: '^service/src/incus/', pathNot: '/test-(server|client)\\.ts$' },
    },
    {
      name: 'routes-never-touch-the-engine',
      comment:
        'Routes translate between HTTP and the rules; an engine that hangs must not hang a request.',
      severity: 'error',
      from: { path: 'service/src/.*/routes\\.ts$' },
      to: { path: '^service/src/incus/' },
    },
    {
      name: 'sql-only-in-queries',
      comment: 'Whoever reads or changes a table is found in a file named queries.ts.',
      severity: 'error',
      from: {
        path: '^service/src/',
        pathNot: '(queries|schema)\\.ts$|\\.test\\.ts$|^service/src/(db|testing)/',
      },
      to: { path: '^(node_modules/)?kysely' },
    },
    {
      name: 'projects-ask-within-themselves',
      comment:
        'What belongs to a project is asked for from its Project, so that none can forget whose rows it is about.',
      severity: 'error',
      // What these folders ask about is of no project, or of several. A new noun is taken to be of one.
      from: {
        path: '^service/src/.+/queries\\.ts$',
        pathNot:
          '^service/src/(db|reconciler-runtime|inspect|metrics|network-policy|usage|statements)/|' +
          '^service/src/(address-pools|drift|images|locations|nodes|operating-systems|settings|sizes)/|' +
          '^service/src/(device-authorizations|identities|passkeys|projects|sessions|setup|users)/',
      },
      to: { path: '^service/src/db/connection\\.ts$' },
    },
    {
      name: 'only-workers-ask-beyond-a-project',
      comment:
        'Files named -queries.ts ask about every project: for workers, administration, tools and what finds out who asks.',
      severity: 'error',
      from: {
        // Of each noun its routes, its view and the rules, which are named after it.
        path:
          '^service/src/.+(routes|/view)\\.ts$|^service/src/([^/]+)/\\2\\.ts$|' +
          '^service/src/servers/(actions|creation)/',
        // What these are about is of no project: where servers run, people, and work without a request.
        pathNot:
          '\\.test\\.ts$|^service/src/(address-pools|locations|maintenance|placement|retention|projects|sessions|users)/',
      },
      // Operations on nodes are of no project: its route asks who wants them.
      to: { path: '-queries\\.ts$', pathNot: '/node-operation-queries\\.ts$' },
    },
    {
      name: 'only-administrators-ask-every-project',
      comment:
        'Rows of all projects are had from callers/every-project.ts, which asks who wants them.',
      severity: 'error',
      from: { path: '^service/', pathNot: '^service/src/callers/every-project\\.ts$' },
      to: { path: '^service/src/db/every-project\\.ts$' },
    },
    {
      name: 'contract-stands-alone',
      comment: 'Clients import the contract; it must not bring the service along.',
      severity: 'error',
      from: { path: '^contract/' },
      to: { path: '^(service|client|cli|e2e|bench|incus-sim|panel|reliability|site)/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'Programs install the client without the rest of Berth.',
      severity: 'error',
      from: { path: '^client/src/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(?!client/src/|node_modules/openapi-)' },
    },
    {
      name: 'command-line-is-a-client',
      comment: 'People install it without the service, and it can do nothing that others cannot.',
      severity: 'error',
      from: { path: '^cli/src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(service|contract|e2e|bench|incus-sim|panel|reliability|setup|site|suites)/|^client/(?!src/index)|^cli/testing/',
      },
    },
    {
      name: 'panel-is-a-client',
      comment: 'Browsers load it, and it can do nothing that other clients cannot.',
      severity: 'error',
      from: { path: '^panel/src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(service|contract|cli|e2e|bench|incus-sim|reliability|setup|site|suites)/|^client/(?!src/index)',
      },
    },
    {
      name: 'command-line-starts-fast',
      comment: 'Few commands need these libraries: use import() where one is needed.',
      severity: 'error',
      from: { path: '^cli/src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: 'node_modules/(@inquirer|cli-progress|csv-stringify|ora|simple-ascii-chart|yaml)/',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'simulator-stands-alone',
      comment: 'Made of our client, it would share the mistakes that it is to show.',
      severity: 'error',
      from: { path: '^incus-sim/src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(service|contract|client|cli|e2e|bench|panel|reliability|setup|site)/|^incus-sim/contract/',
      },
    },
    {
      name: 'http-knows-no-nouns',
      comment: 'What serves HTTP is the same for every noun; routes depend on it, not it on them.',
      severity: 'error',
      from: {
        path: '^service/src/(http|edge|requests|callers|limits|streams|openapi|built-files|help|panel|problems|lib)/',
        pathNot: '\\.test\\.ts$',
      },
      to: {
        path: '^service/src/[a-z-]+/',
        pathNot:
          '^service/src/(http|edge|requests|callers|limits|streams|openapi|built-files|help|panel|problems|lib)/|' +
          // What refusals are counted by: the token of a request.
          '^service/src/(access|changes|db|keys|refusals|threads|tokens|version)/',
      },
    },
    {
      name: 'large-libraries-are-loaded-late',
      comment:
        'A start does not need these libraries, and loading them takes time and memory: use import() where one is needed.',
      severity: 'error',
      from: {
        path: '^service/src/',
        // A thread loads this file late.
        pathNot:
          '\\.test\\.ts$|^service/src/(cli|testing)/|^service/src/threads/api-reference\\.ts$',
      },
      to: {
        path: 'node_modules/(@scalar|@fastify/swagger|@node-rs|@peculiar|@simplewebauthn|@zxcvbn-ts|openid-client|piscina|reflect-metadata)/',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'product-needs-no-tests',
      comment: 'Test helpers stay out of the product.',
      severity: 'error',
      from: {
        path: '^(service|contract|setup)/',
        pathNot: '\\.test\\.(ts|mjs)$|^service/src/testing/|test-server\\.ts$|-cases\\.ts$',
      },
      to: {
        path: '^service/src/testing/|\\.test\\.ts$|^(e2e|bench|incus-sim|panel|reliability|site)/',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What is built from the pages.
    exclude: { path: '^((panel|service)/dist|site/(dist|\\.pages|\\.vitepress/(cache|\\.temp)))/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
      conditionNames: ['import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
