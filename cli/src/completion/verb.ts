import { readFileSync } from 'node:fs';
import { Argument, Command } from '@commander-js/extra-typings';
import type { Verb } from '../cli.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

const about = `Print a script with which your shell completes commands and names.

  bash:  echo 'source <(berth completion bash)' >> ~/.bashrc
  zsh:   echo 'source <(berth completion zsh)' >> ~/.zshrc
  fish:  mkdir -p ~/.config/fish/completions
         berth completion fish > ~/.config/fish/completions/berth.fish`;

export const completion: Verb = (cli) =>
  new Command('completion')
    .description(about)
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .action((shell) => {
      // It runs `berth complete`, which complete.ts answers.
      const script = new URL(`./scripts/berth.${shell}`, import.meta.url);
      cli.print(readFileSync(script, 'utf8').trimEnd());
    });
