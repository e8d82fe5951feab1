export * from 'commander';
