import IconPlayerPause from '@tabler/icons-react/icons/IconPlayerPause';
import IconPlayerPlay from '@tabler/icons-react/icons/IconPlayerPlay';
import IconPlayerTrackNext from '@tabler/icons-react/icons/IconPlayerTrackNext';
import IconPower from '@tabler/icons-react/icons/IconPower';
import IconRefresh from '@tabler/icons-react/icons/IconRefresh';
import IconRepeat from '@tabler/icons-react/icons/IconRepeat';

export const icons = {
  ...{ start: IconPlayerPlay, stop: IconPower, restart: IconRefresh },
  ...{ pause: IconPlayerPause, unpause: IconPlayerTrackNext, retry: IconRepeat },
};
