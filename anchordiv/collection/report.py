"""What became of the files that were handed over."""

from dataclasses import dataclass


@dataclass(frozen=True)
class IngestReport:
    """What became of the files that were handed over.

    Args:
        accepted: how many became items.
        duplicates: names of files whose content was already there.
        rejected: (name, reason) of files that were left out.
        skipped: how many hidden files, files of the operating system and links were passed over.
        warning: a sentence about what went wrong besides, such as a store that could not be written.
    """

    accepted: int
    duplicates: tuple[str, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    skipped: int = 0
    warning: str = ""

    def sentence(self) -> str:
        """Say it in one sentence.

        >>> IngestReport(20, rejected=(("a.pdf", "it is a PDF document"),), skipped=3).sentence()
        '20 pictures; 1 file left out (a.pdf: it is a PDF document); 3 hidden files or links skipped.'
        """
        parts = [_counted(self.accepted, "picture")]
        if self.duplicates:
            copies = len(self.duplicates)
            parts.append("1 copy of one already there" if copies == 1 else f"{copies:,} copies of others")
        if self.rejected:
            name, reason = self.rejected[0]
            more = ", ..." if len(self.rejected) > 1 else ""
            parts.append(f"{_counted(len(self.rejected), 'file')} left out ({name}: {reason}{more})")
        if self.skipped:
            parts.append(
                f"{_counted(self.skipped, 'hidden file')} or {'links' if self.skipped > 1 else 'link'} skipped"
            )
        return "; ".join(parts) + "."


def _counted(count: int, noun: str) -> str:
    """Write a number with its noun: 1 picture, 1,200 pictures."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
