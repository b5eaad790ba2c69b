"""Playlists. Fault: the artists of a playlist come in the order of a set, which differs from process to process.

Style: public collections, plain values or raise.
"""

from typing import Any


class PlaylistError(Exception):
    """Why the player refuses."""


class MusicPlayer:
    """A library of songs, and playlists of them."""

    def __init__(self) -> None:
        self.songs: dict[str, dict[str, Any]] = {
            "s1": {"title": "Tidal", "artist": "Mira Holm", "seconds": 201},
            "s2": {"title": "Ember", "artist": "The Lanterns", "seconds": 187},
            "s3": {"title": "North", "artist": "Juno Park", "seconds": 240},
            "s4": {"title": "Harbour", "artist": "Mira Holm", "seconds": 222},
        }
        self.playlists: dict[str, list[str]] = {"Morning": ["s1", "s2", "s3"], "Run": ["s2"]}

    def search_songs(self, artist: str) -> list[str]:
        """Find the songs of an artist.

        Args:
            artist: Exact name.
        """
        return [key for key, song in self.songs.items() if song["artist"] == artist]

    def create_playlist(self, name: str) -> None:
        """Make an empty playlist.

        Args:
            name: A name that no other has.
        """
        if not name or name in self.playlists:
            raise PlaylistError("a playlist needs a name of its own")
        self.playlists[name] = []

    def add_song(self, playlist: str, song_id: str) -> int:
        """Add a song at the end.

        Args:
            playlist: Name of the playlist.
            song_id: Id of the song.
        """
        if playlist not in self.playlists or song_id not in self.songs:
            raise PlaylistError("no such playlist or song")
        self.playlists[playlist].append(song_id)
        return len(self.playlists[playlist])

    def remove_song(self, playlist: str, position: int) -> str:
        """Remove a song by its position.

        Args:
            playlist: Name of the playlist.
            position: From 1.
        """
        songs = self.playlists.get(playlist, [])
        if not 1 <= position <= len(songs):
            raise PlaylistError("there is no such position")
        return songs.pop(position - 1)

    def list_artists(self, playlist: str) -> str:
        """Name the artists of a playlist.

        Args:
            playlist: Name of the playlist.
        """
        if playlist not in self.playlists:
            raise PlaylistError("no such playlist")
        return ", ".join({self.songs[song]["artist"] for song in self.playlists[playlist]})
