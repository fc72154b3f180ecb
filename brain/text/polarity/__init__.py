"""Sentiment polarity of an outcome: whether a text says that something ended well or badly.

Rules of the language over word lists (``data/polarity.txt``), for Chinese and English: the scope
of a negation (没有一个用例不通过), prevention (避免了停机), a near miss (差点没赶上), concession
(虽然…但是), directions of quantities (延迟降到 80ms), idiom. Signs are for the one who acted,
and go by how it ended. No model, no state: a better list changes the sign of every old record.

The composition follows the usual order of shift rules (Polanyi & Zaenen 2006, *Contextual Valence
Shifters*): words, then negation within a clause, then clauses by their connectives.
"""

from brain.text.polarity.contrast import MAX_CHARS, Sign, sign

__all__ = ["MAX_CHARS", "Sign", "sign"]
