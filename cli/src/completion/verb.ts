import { script } from '@bomb.sh/tab';
import { Argument, Command } from '@commander-js/extra-typings';
import type { Verb } from '../cli.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

const about = `Print a script with which your shell completes commands and names.

  bash:  echo 'source <(berth completion bash)' >> ~/.bashrc
  zsh:   echo 'source <(berth completion zsh)' >> ~/.zshrc
  fish:  berth completion fish > ~/.config/fish/completions/berth.fish`;

export const completion: Verb = () =>
  new Command('completion')
    .description(about)
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    // The script runs `berth complete`, which complete.ts answers.
    .action((shell) => script(shell, 'berth', 'berth'));
